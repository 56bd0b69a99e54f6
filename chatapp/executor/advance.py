"""The next message of a queue, when a run has ended or room was made."""

from __future__ import annotations

from uuid import UUID

from agents.stores.orm.transactions import writing
from chatapp.executor.interface import Executor, execute
from chatapp.lifecycle.queue import start_next, tell_queue, waiting_thread_ids
from chatapp.lifecycle.room import has_room
from chatapp.models import Thread
from chatapp.models.by_hand import find, has_queue


def advance(executor: Executor, thread_id: UUID) -> None:
    """Starts what waits in the thread if nothing is in its way, and tells open pages how the queue stands."""
    if not has_queue(thread_id):
        return
    with writing():
        thread = find(Thread, lock=True, id=thread_id)
        if thread is None:
            return
        started = start_next(thread) if has_room(thread.owner_id) else None
        tell_queue(thread)
        if started is not None:
            execute(executor, *started)


def advance_all(executor: Executor) -> None:
    """For queues that waited for room, or whose owner is gone."""
    for thread_id in waiting_thread_ids():
        advance(executor, thread_id)
