"""What the user has seen: a thread is unread when its last answer ended after they had looked."""

from __future__ import annotations

import logging

from django.db import OperationalError

from chatapp.history.turns import ThreadStatus
from chatapp.models import Thread

logger = logging.getLogger(__name__)


def mark_seen(thread: Thread, status: ThreadStatus) -> None:
    """While an answer is being written, its end has not been seen. Writes only where something was unread."""
    if status != "running" and thread.seen_at < thread.updated_at:
        unread = Thread.objects.filter(pk=thread.pk, seen_at__lt=thread.updated_at)
        try:
            unread.update(seen_at=thread.updated_at)
        except OperationalError as error:
            logger.warning("not marked as seen: %s", error)  # the page is shown all the same
