"""Whether another run may start: limits per process and per user."""

from __future__ import annotations

from django.conf import settings

from agents.stores.orm import checkpoints
from chatapp.lifecycle.ownership import runs_wait_for_workers
from chatapp.models import Thread
from chatapp.models.thread import thread_ids


def has_room(owner_id: int) -> bool:
    """Room in this process (MAX_RUNS) and for this user (MAX_RUNS_PER_USER), by the leases that are valid.

    With workers it is theirs to limit how many they drive: what they have no room for waits for them, live.
    """
    live = checkpoints.live_counts()
    if not runs_wait_for_workers() and live.get(checkpoints.process_owner(), 0) >= settings.MAX_RUNS:
        return False
    if sum(live.values()) < settings.MAX_RUNS_PER_USER:
        return True
    own = Thread.objects.filter(owner_id=owner_id, id__in=thread_ids(checkpoints.live_session_ids()))
    return bool(own.count() < settings.MAX_RUNS_PER_USER)
