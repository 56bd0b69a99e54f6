"""Rows of frames: written inside somebody else's transaction, and published after it.

A frame is encoded once: the text that is stored is the one that the sockets get.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from agents.stores.orm.transactions import execute, fetch, sql_time, sql_uuid, writing
from chatapp.eventlog.frames import Frame, top_index
from chatapp.eventlog.hub import Delivery, hub, thread_topic
from chatapp.eventlog.reading import last_seq
from chatapp.models import RunEvent

_INSERT = (
    "INSERT INTO chatapp_runevent (thread_id, run_id, first_seq, last_seq, top_index, frames, created_at)"
    " VALUES @rows"
)
_ROW = "(%s, %s, %s, %s, %s, %s, @now)"


class Run(NamedTuple):
    """Where frames belong."""

    thread_id: UUID
    run_id: str


@dataclass(frozen=True, slots=True)
class EventRow:
    """Consecutive frames of one run, with their run_id and seq."""

    thread_id: Any
    delivery: Delivery
    top_index: int

    @classmethod
    def of(cls, thread_id: Any, run_id: str, numbered: Sequence[Frame], *, stored: int) -> EventRow:
        return cls(thread_id, Delivery.of(run_id, numbered), top_index(numbered, stored))

    @property
    def run_id(self) -> str:
        return str(self.delivery.run_id)

    @property
    def first_seq(self) -> int:
        return self.delivery.frames[0][0]

    @property
    def last_seq(self) -> int:
        return self.delivery.frames[-1][0]

    @property
    def frames(self) -> str:
        """As JSON."""
        return f"[{','.join(text for _, text in self.delivery.frames)}]"

    def values(self) -> tuple[Any, ...]:
        thread_id = sql_uuid(self.thread_id)
        return thread_id, self.run_id, self.first_seq, self.last_seq, self.top_index, self.frames


def insert_rows(rows: Sequence[EventRow]) -> None:
    """In the caller's transaction. By hand, since every frame of every run comes through here."""
    if rows:
        sql = _INSERT.replace("@rows", ", ".join([_ROW] * len(rows)))
        execute(sql, [value for row in rows for value in row.values()])


def record(
    thread_id: Any, run_id: str, frames: list[Frame], *, stored: int, after: int | None = None
) -> list[Frame]:
    """Numbers the frames behind the run's newest one (`after`, where it is known) and writes them as one row.

    For commands, which have no channel. To be called in a transaction that holds the run's row.
    """
    newest = last_seq(thread_id, run_id) if after is None else after
    numbered = number(frames, run_id, newest + 1)
    insert_rows([EventRow.of(thread_id, run_id, numbered, stored=stored)])
    return numbered


def written_up_to(thread_id: Any, run_id: str, first_seq: int) -> int:
    """The last seq of the row that begins with this one; 0 where there is none."""
    row = RunEvent.objects.filter(thread_id=thread_id, run_id=run_id, first_seq=first_seq)
    return row.values_list("last_seq", flat=True).first() or 0


def quiet_since(moment: datetime) -> list[Run]:
    """The runs whose newest frames are older than that."""
    sql = (
        "SELECT thread_id, run_id FROM chatapp_runevent AS began"
        " WHERE first_seq = 1 AND created_at < %s AND (SELECT created_at FROM chatapp_runevent"
        " WHERE thread_id = began.thread_id AND run_id = began.run_id ORDER BY first_seq DESC LIMIT 1) < %s"
    )
    return [Run(UUID(str(thread_id)), run_id) for thread_id, run_id in fetch(sql, [sql_time(moment)] * 2)]


def forget(run: Run) -> None:
    """Removes the frames of a run that has ended."""
    with writing():
        RunEvent.objects.filter(thread_id=run.thread_id, run_id=run.run_id).delete()


def publish(thread_id: Any, run_id: str | None, frames: list[Frame]) -> None:
    """Tells the readers. Only after the commit of what the frames say."""
    topic = thread_topic(thread_id)
    if frames and hub.has_readers(topic):
        hub.deliver(topic, Delivery.of(run_id, frames))


def publish_row(row: EventRow) -> None:
    """The same for frames that are encoded already."""
    topic = thread_topic(row.thread_id)
    if hub.has_readers(topic):
        hub.deliver(topic, row.delivery)


def number(frames: Iterable[Frame], run_id: str, first: int) -> list[Frame]:
    return [{**frame, "run_id": run_id, "seq": first + offset} for offset, frame in enumerate(frames)]
