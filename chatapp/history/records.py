"""What is stored of a page of runs: finished ones, the one in flight, pieces of very long ones.

A page holds about `PAGE` entries; a run is split only when it has more than `WHOLE`. Constant queries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agents.errors import UserError
from agents.stores.orm import checkpoints, sessions
from agents.stores.orm.checkpoints import InFlight
from agents.stores.orm.sessions import PagedRun
from chatapp.eventlog import last_seq
from chatapp.history.cursor import BadCursor, FlightCursor
from chatapp.history.fold import RunRecord
from chatapp.history.parts import Indexed
from chatapp.history.pieces import beginning_whole, whole_piece
from chatapp.history.reading import FlightRead, read_flight, read_steadily, status_of
from chatapp.history.turns import NO_QUEUE, Queue, ThreadStatus
from chatapp.lifecycle.queue import queue_of
from chatapp.models import Thread

PAGE = 32
WHOLE = 400
NEWEST = "newest"
"""The cursor of the session's newest page: what comes before the first entry of a run in flight."""
_END = 999_999_999
"""Beyond any index that a log can have."""


@dataclass(frozen=True, slots=True)
class Records:
    """Runs, oldest first; for the newest page also how the event log stood when they were read."""

    runs: Sequence[RunRecord]
    before: str | None = None
    run_id: str | None = None
    after: int = 0
    status: ThreadStatus = "idle"
    queue: Queue = NO_QUEUE


def load_records(thread: Thread, *, before: str | None = None, limit: int = PAGE) -> Records:
    """The newest page, or the one before the cursor. Raises BadCursor."""
    if before is None:
        return read_steadily(thread.session_id, lambda run: newest_records(thread, run, limit))
    if before == NEWEST:
        return session_records(thread, None, limit)
    cursor = FlightCursor.parse(before)
    return flight_piece(thread, cursor, limit) if cursor else session_records(thread, before, limit)


def newest_records(thread: Thread, run: InFlight | None, limit: int) -> Records:
    if run is None:
        records = session_records(thread, None, limit)
        last = records.runs[-1].run_id if records.runs else None
        after = last_seq(thread.id, last) if last else 0
        return replace(records, run_id=last, after=after, queue=queue_records(thread, None))
    read = read_flight(thread.id, run, limit=max(limit, WHOLE))
    stored, older = records_beside(thread, read, limit)
    runs, waiting = [*stored, flight_record(read)], queue_records(thread, run)
    return Records(runs, older, run.run_id, read.seq, status_of(run), waiting)


def queue_records(thread: Thread, run: InFlight | None) -> Queue:
    return Queue(**queue_of(thread, run))


def records_beside(thread: Thread, read: FlightRead, limit: int) -> tuple[Sequence[RunRecord], str | None]:
    """The finished runs that fit beside a run in flight, and the cursor of what comes before."""
    if not read.is_whole:
        return [], str(FlightCursor(read.run.run_id, read.entries[0][0]))
    room = limit - len(read.entries)
    records = session_records(thread, None, max(1, room))
    if room <= 0:
        return [], NEWEST if records.runs else None
    # A run that has ended since this look began is in both: the next look finds it ended.
    return [run for run in records.runs if run.run_id != read.run.run_id], records.before


def flight_piece(thread: Thread, cursor: FlightCursor, limit: int) -> Records:
    """The piece of a very long run before the cursor; the run may have ended since the cursor was made."""
    run = checkpoints.in_flight(thread.session_id)
    if run is None or run.run_id != cursor.run_id:
        before = sessions.cursor_at(thread.session_id, cursor.run_id, cursor.index)
        if before is None:
            raise BadCursor
        return session_records(thread, before, limit)

    def up_to_cursor(reach: int) -> Sequence[Indexed]:
        return checkpoints.indexed_entries(run.log, max(0, cursor.index - reach), cursor.index)

    piece = FlightRead(run, whole_piece(up_to_cursor, WHOLE), (), 0)
    if not piece.entries:
        raise BadCursor
    older = NEWEST if piece.is_whole else str(FlightCursor(run.run_id, piece.entries[0][0]))
    return Records([replace(flight_record(piece), ends=False)], older)


def session_records(thread: Thread, before: str | None, limit: int) -> Records:
    """Finished runs only. Raises BadCursor."""
    try:
        found = sessions.page(thread.session_id, before=before, limit=limit, keep_whole=WHOLE)
        if found.runs and not found.runs[0].first:
            torn = found.runs[0].entries
            whole = len(beginning_whole(torn))
            if not whole:
                return session_records(thread, before, limit * 4)
            if whole < len(torn):
                found = sessions.page(thread.session_id, before=before, limit=limit - len(torn) + whole)
    except UserError as error:
        raise BadCursor from error
    return Records([segment_record(run) for run in found.runs], found.before)


def load_run(
    thread: Thread, run: InFlight | None, run_id: str, *, limit: int
) -> tuple[RunRecord | None, bool]:
    """One run of the thread (the newest piece of it), and whether it is the thread's last one."""
    if run and run.run_id == run_id:
        return flight_record(read_flight(thread.id, run, limit=limit)), True
    newest = sessions.page(thread.session_id, limit=1).runs
    is_newest = bool(newest) and newest[-1].run_id == run_id
    end = sessions.cursor_at(thread.session_id, run_id, _END)
    if end is None:
        return None, False
    found = session_records(thread, end, limit).runs
    if not found:  # cut in between
        return None, False
    return replace(found[-1], ends=True), is_newest and run is None


def segment_record(run: PagedRun) -> RunRecord:
    return RunRecord(
        run_id=run.run_id,
        entries=run.entries,
        meta=run.meta,
        created_at=run.created_at,
        starts=run.first,
        ends=run.last,
    )


def flight_record(read: FlightRead) -> RunRecord:
    return RunRecord(
        run_id=read.run.run_id,
        entries=read.entries,
        starts=read.is_whole,
        flight=read.flight,
        frames=read.frames,
    )
