"""Taking the end of a session away: for good (rewind), or to where it can be brought back from (cut)."""

from __future__ import annotations

import uuid
from typing import Any

from django.db.models import F, QuerySet

from agents.errors import UserError
from agents.models import Checkpoint
from agents.models import Entry as EntryRow
from agents.models import Segment as SegmentRow
from agents.session import require_id, rewind_point
from agents.stores.orm.heads import facts_of
from agents.stores.orm.logs import indexed_entries
from agents.stores.orm.runs import take_run
from agents.stores.orm.segments import insert_segment
from agents.stores.orm.transactions import Inside, run_inside, writing
from agents.transcript import Entry, UnreadableEntry, unpaired_positions


def rewind(session_id: str, keep_entries: int) -> int:
    """Keeps the first entries of the session and returns how many the flat view lost.

    The segment that the cut lands in loses its dangling calls and its meta, and goes when nothing is left.
    The checkpoints of the runs that were cut go too. ValueError for a negative number.
    """
    require_id(session_id, "session_id")
    with writing():
        rows = list(_held(session_id).order_by("id"))
        point = rewind_point([row.length for row in rows], keep_entries)
        if point is None:
            return 0
        first, later = rows[point.segment], rows[point.segment + 1 :]
        tail = SegmentRow.objects.filter(session_id=session_id, id__gte=first.id)
        _forget_checkpoints(session_id, tail)
        kept = _truncate(first, point.keep) if point.keep else 0
        gone = tail.exclude(id=first.id) if kept else tail
        EntryRow.objects.filter(log__in=gone.values("log")).delete()
        gone.delete()
        return first.length - kept + sum(row.length for row in later)


def cut(session_id: str, run_id: str, index: int, *, inside: Inside = None) -> str:
    """Cuts the session before that entry and returns the id under which the tail is kept.

    Whole segments move as they are. One that is cut apart moves too, less the entries before the cut (but
    with the calls among these whose results come later); what stays of it has no meta. UserError: no such
    entry.
    """
    require_id(session_id, "session_id")
    cut_id = _new_cut()
    with writing():
        row = _held(session_id).filter(run_id=run_id).first()
        if row is None or not EntryRow.objects.filter(log=row.log, index=index).exists():
            raise UserError(f"session {session_id!r} has no entry {run_id}:{index}")
        tail = SegmentRow.objects.filter(session_id=session_id, id__gte=row.id)
        _forget_checkpoints(session_id, tail)
        tail.update(session_id=cut_id)
        _keep_head(row, index, session_id)
        run_inside(inside)
    return cut_id


def restore(session_id: str, cut_id: str) -> None:
    """Appends what was cut. A run that was cut apart grows together again if nothing came after it since.

    Otherwise its tail comes as a run of its own, since a session has each run once. UserError: nothing there.
    """
    require_id(session_id, "session_id")
    with writing():
        rows = list(_held(cut_id).order_by("id"))
        if not rows:
            raise UserError("there is nothing to bring back")
        last = _held(session_id).order_by("-id").first()
        if last is not None and last.run_id == rows[0].run_id:
            _rejoin(last, rows.pop(0))
        taken = set(_held(session_id).values_list("run_id", flat=True))
        SegmentRow.objects.bulk_create([_moved(row, session_id, taken) for row in rows])
        SegmentRow.objects.filter(session_id=cut_id).delete()


def set_aside(run_id: str, fence: int | None = None, *, inside: Inside = None) -> str:
    """Takes a run in flight out of its session, message and all; the id under which it is kept."""
    cut_id = _new_cut()
    with writing():
        log, length, _, status, head = take_run(run_id, fence)
        insert_segment(cut_id, run_id, log, length, _aside_meta(status, head))
        run_inside(inside)
    return cut_id


def _new_cut() -> str:
    return f"cut-{uuid.uuid4()}"


def _held(session_id: str) -> QuerySet[SegmentRow]:
    """The session's segments, held until the end of the transaction."""
    return SegmentRow.objects.select_for_update().filter(session_id=session_id)


def _forget_checkpoints(session_id: str, segments: QuerySet[SegmentRow]) -> None:
    """Those of runs that the session has: their logs are the segments', and stay."""
    Checkpoint.objects.filter(session_id=session_id, run_id__in=segments.values("run_id")).delete()


def _truncate(row: SegmentRow, keep: int) -> int:
    """Leaves the first entries, less those without their other half; how many that are."""
    at = EntryRow.objects.filter(log=row.log).order_by("index").values_list("index", flat=True)[keep]
    dangling = _dangling(row.log, at)
    EntryRow.objects.filter(log=row.log, index__gte=at).delete()
    EntryRow.objects.filter(log=row.log, index__in=dangling).delete()
    kept = keep - len(dangling)
    SegmentRow.objects.filter(id=row.id).update(length=kept, meta=None)
    return kept


def _keep_head(row: SegmentRow, at: int, session_id: str) -> None:
    """The entries before the cut go to a log and a segment of their own, which stay in the session."""
    dangling = _dangling(row.log, at)
    head_log = uuid.uuid4()
    kept = EntryRow.objects.filter(log=row.log, index__lt=at).exclude(index__in=dangling).update(log=head_log)
    if not kept:
        return
    SegmentRow.objects.filter(id=row.id).update(length=F("length") - kept)
    SegmentRow.objects.create(
        session_id=session_id, run_id=row.run_id, log=head_log, length=kept, created_at=row.created_at
    )


def _dangling(log: uuid.UUID, before: int) -> list[int]:
    """Indexes of the calls and results that have no other half among the entries before that index."""
    rows: list[tuple[int, Entry]] = [
        (index, entry)
        for index, entry in indexed_entries(log, stop=before)
        if not isinstance(entry, UnreadableEntry)
    ]
    return [rows[position][0] for position in unpaired_positions(entry for _, entry in rows)]


def _rejoin(head: SegmentRow, tail: SegmentRow) -> None:
    EntryRow.objects.filter(log=tail.log).update(log=head.log)
    SegmentRow.objects.filter(id=head.id).update(length=F("length") + tail.length, meta=tail.meta)


def _moved(row: SegmentRow, session_id: str, taken: set[str]) -> SegmentRow:
    """A new row, since the order of a session is that of its rows."""
    return SegmentRow(
        session_id=session_id,
        run_id=str(uuid.uuid4()) if row.run_id in taken else row.run_id,
        log=row.log,
        length=row.length,
        meta=row.meta,
        created_at=row.created_at,
    )


def _aside_meta(status: str, head: str) -> dict[str, Any]:
    facts = facts_of(head)
    meta: dict[str, Any] = {"status": "interrupted" if status == "running" else status}
    return meta | {name: facts[name] for name in ("error", "usage") if name in facts}
