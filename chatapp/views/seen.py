"""What the user has seen: a thread is unread when its last answer ended after they had looked."""

from __future__ import annotations

from django.db.models import F
from django.utils import timezone

from chatapp.history.turns import ThreadStatus
from chatapp.models import Thread


def mark_seen(thread: Thread, status: ThreadStatus) -> None:
    """While an answer is being written, its end has not been seen. Writes only where something was unread."""
    if status != "running" and thread.seen_at < thread.updated_at:
        unread = Thread.objects.filter(pk=thread.pk, seen_at__lt=F("updated_at"))
        unread.update(seen_at=timezone.now())
