"""The queue of a thread: what waits, why, and the start of the next. Called while the thread is held."""

from __future__ import annotations

from collections import Counter
from itertools import count
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Max, Min

from agents.stores.orm import checkpoints
from agents.stores.orm.checkpoints import InFlight
from chatapp.eventlog import Frame, publish
from chatapp.lifecycle.content import Content, text_of
from chatapp.lifecycle.jobs import RunJob
from chatapp.lifecycle.starting import start
from chatapp.lifecycle.status import state_of
from chatapp.models import QueuedMessage, Thread

STOPPED = "stopped"
NO_ROOM = "limit"
LOOKED_AT = 1000  # waiting threads that are looked at together
OF_ONE_USER = 5


def enqueue(thread: Thread, content: Content, *, first: bool = False) -> QueuedMessage:
    """Puts a message at the end of the queue, or at its head."""
    ends = thread.queue.aggregate(head=Min("position"), tail=Max("position"))
    position = (ends["head"] or 0) - 1 if first else (ends["tail"] or 0) + 1
    return QueuedMessage.objects.create(
        thread=thread, position=position, run_id=str(uuid4()), content=content
    )


def hold(thread: Thread, reason: str) -> bool:
    """Nothing in the queue starts by itself any more ("": it does). An empty queue is not held. → a change"""
    held = reason if reason and thread.queue.exists() else ""
    if held == thread.queue_held:
        return False
    thread.queue_held = held
    thread.save(update_fields=["queue_held"])
    return True


def start_next(thread: Thread) -> tuple[RunJob, list[Frame]] | None:
    """Starts the first message of the queue, where nothing is in flight and nothing holds it."""
    if thread.queue_held or checkpoints.in_flight(thread.session_id) is not None:
        return None
    first = thread.queue.first()
    if first is None:
        return None
    started = start(thread, first.content, run_id=first.run_id)
    first.delete()
    return started


def queue_of(thread: Thread, run: InFlight | None) -> dict[str, Any]:
    """The queue as the export and the page show it: why it is held (or null), and what waits."""
    messages = [{"id": str(waiting.id), "text": text_of(waiting.content)} for waiting in thread.queue.all()]
    return {"held": reason_of(thread, run) if messages else None, "messages": messages}


def reason_of(thread: Thread, run: InFlight | None) -> str | None:
    """Why the next message does not start: a hold, the run in front of it, or no room for another run."""
    if thread.queue_held:
        return str(thread.queue_held)
    if run is None:
        return NO_ROOM
    return None if run.live else state_of(run)


def tell_queue(thread: Thread) -> None:
    """After the commit: open pages show the queue as it is in this transaction."""
    frame: Frame = {"type": "queue", **queue_of(thread, checkpoints.in_flight(thread.session_id))}
    transaction.on_commit(lambda: publish(thread.id, None, [frame]))


def waiting_thread_ids(limit: int = 50) -> list[UUID]:
    """Threads whose queue may go on and in which nothing is in flight, the longest waiting first.

    Of each user only a few, so that none of them hides the others'.
    """
    waiting = QueuedMessage.objects.filter(thread__queue_held="")
    threads = waiting.values_list("thread_id", "thread__owner_id").annotate(since=Min("created_at"))
    found: list[UUID] = []
    owners: Counter[int] = Counter()
    for start_at in count(0, LOOKED_AT):
        some = list(threads.order_by("since", "thread_id")[start_at : start_at + LOOKED_AT])
        busy = checkpoints.in_flight_many([str(thread_id) for thread_id, _, _ in some])
        for thread_id, owner, _ in some:
            if str(thread_id) not in busy and owners[owner] < OF_ONE_USER:
                owners[owner] += 1
                found.append(thread_id)
        if len(some) < LOOKED_AT or len(found) >= limit:
            break
    return found[:limit]
