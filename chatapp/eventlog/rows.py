"""Writing frames inside somebody else's transaction, and publishing them after it."""

from __future__ import annotations

from typing import Any

from chatapp.eventlog.frames import Frame, top_index
from chatapp.eventlog.hub import Delivery, hub, thread_topic
from chatapp.eventlog.reading import last_seq
from chatapp.models import RunEvent


def record(
    thread_id: Any, run_id: str, frames: list[Frame], *, stored: int, after: int | None = None
) -> list[Frame]:
    """Numbers the frames behind the run's newest one (`after`, where it is known) and writes them as one row.

    For commands, which have no channel. To be called in a transaction that holds the run's row.
    """
    newest = last_seq(thread_id, run_id) if after is None else after
    numbered = number(frames, run_id, newest + 1)
    RunEvent.objects.bulk_create([event_row(thread_id, run_id, numbered, stored=stored)])
    return numbered


def publish(thread_id: Any, run_id: str | None, frames: list[Frame]) -> None:
    """Tells the readers in this process. Only after the commit of what the frames say."""
    topic = thread_topic(thread_id)
    if frames and hub.has_readers(topic):
        hub.deliver(topic, Delivery.of(run_id, frames))


def number(frames: list[Frame], run_id: str, first: int) -> list[Frame]:
    return [{**frame, "run_id": run_id, "seq": first + offset} for offset, frame in enumerate(frames)]


def event_row(thread_id: Any, run_id: str, numbered: list[Frame], *, stored: int) -> RunEvent:
    return RunEvent(
        thread_id=thread_id,
        run_id=run_id,
        first_seq=numbered[0]["seq"],
        last_seq=numbered[-1]["seq"],
        top_index=top_index(numbered, stored),
        frames=numbered,
    )
