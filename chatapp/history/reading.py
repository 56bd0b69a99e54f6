"""The order of reads in which a picture is never torn: checkpoint, entries, frames, checkpoint again.

A run that ends, starts or changes hands in between shows in the second look, and everything is read again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from agents.stores.orm import checkpoints
from agents.stores.orm.checkpoints import InFlight
from chatapp.eventlog import Frame, last_seq, tail
from chatapp.history.facts import Flight
from chatapp.history.parts import Indexed
from chatapp.history.pieces import whole_piece
from chatapp.history.turns import ThreadStatus
from chatapp.lifecycle import state_of

T = TypeVar("T")

LOOKS = 4
"""How often a picture is read before it is taken as it is: only a thread that never rests gets there."""


@dataclass(frozen=True, slots=True)
class FlightRead:
    """The newest entries of a run in flight, and the frames of what is shown beyond them, up to `seq`."""

    run: InFlight
    entries: Sequence[Indexed]
    frames: Sequence[Frame]
    seq: int

    @property
    def flight(self) -> Flight:
        return Flight(state_of(self.run), self.run.head, self.run.stop_requested)

    @property
    def stored(self) -> int:
        return self.entries[-1][0] + 1 if self.entries else self.run.next_index

    @property
    def is_whole(self) -> bool:
        """Whether the run's first entry is among these."""
        return not self.entries or self.entries[0][0] == 0


def read_steadily(session_id: str, read: Callable[[InFlight | None], T]) -> T:
    """What `read` makes of the run in flight, once no other run or owner has come in between."""
    run = checkpoints.in_flight(session_id)
    for _ in range(LOOKS):
        result = read(run)
        before, run = run, checkpoints.in_flight(session_id)
        if standing(before) == standing(run):
            break
    return result


def standing(run: InFlight | None) -> tuple[object, ...]:
    """What must not change while a picture is read; the run may grow."""
    return (run.run_id, run.fence, state_of(run)) if run else ()


def read_flight(thread_id: UUID, run: InFlight, *, limit: int) -> FlightRead:
    """Entries before frames: what is stored meanwhile is then in both, and counts as stored."""

    def newest(reach: int) -> Sequence[Indexed]:
        return checkpoints.indexed_entries(run.log, max(0, run.next_index - reach))

    entries = whole_piece(newest, limit)
    seq = last_seq(thread_id, run.run_id)
    read = FlightRead(run, entries, (), seq)
    frames = tail(thread_id, run.run_id, read.stored)
    return FlightRead(run, entries, frames, max([seq, *(frame["seq"] for frame in frames[-1:])]))


def status_of(run: InFlight | None) -> ThreadStatus:
    return state_of(run) if run else "idle"
