"""A page of a session: the entries before a cursor, at the same cost in a session of any length."""

from __future__ import annotations

import re
import uuid
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from agents.errors import UserError
from agents.models import Entry as EntryRow
from agents.models import Segment as SegmentRow
from agents.session import require_id
from agents.stores.orm.logs import decode
from agents.stores.orm.segments import read_meta
from agents.transcript import Entry, UnreadableEntry

_CURSOR = re.compile(r"([0-9]{1,18})\.([0-9]{1,9})\.([0-9]{1,9})")

IndexedEntry = tuple[int, Entry | UnreadableEntry]


@dataclass(frozen=True, slots=True)
class PagedRun:
    """A segment, or a piece of it: `first` and `last` say whether its first and its last entry are here."""

    run_id: str
    meta: dict[str, Any] | None
    created_at: datetime
    entries: list[IndexedEntry]
    first: bool
    last: bool


@dataclass(frozen=True, slots=True)
class Page:
    """Runs, oldest first. `before` is the cursor of the page that comes before this one, or None."""

    runs: list[PagedRun]
    before: str | None


@dataclass(frozen=True, slots=True)
class _Cursor:
    """All entries before the one at `index` of a segment; `left` is how many of its own these are."""

    segment: int
    index: int
    left: int

    def __str__(self) -> str:
        return f"{self.segment}.{self.index}.{self.left}"

    @classmethod
    def parse(cls, text: str) -> _Cursor:
        found = _CURSOR.fullmatch(text)
        if found is None:
            raise UserError("this is not the cursor of a page")
        return cls(*(int(number) for number in found.groups()))


@dataclass(frozen=True, slots=True)
class _Slice:
    """The last `take` entries of a segment's `available` ones, which are those before the index `below`."""

    segment: int
    run_id: str
    log: uuid.UUID
    available: int
    take: int
    below: int | None

    @property
    def is_first(self) -> bool:
        return self.take == self.available

    @property
    def is_last(self) -> bool:
        return self.below is None


def page(session_id: str, *, before: str | None = None, limit: int = 200, keep_whole: int = 0) -> Page:
    """The newest `limit` entries before the cursor.

    A segment that does not fit is split, unless it has `keep_whole` entries at most: then all of it comes.
    """
    require_id(session_id, "session_id")
    cursor = None if before is None else _Cursor.parse(before)
    slices, has_older = _slices(session_id, cursor, limit, keep_whole)
    if not slices:
        return Page([], None)
    entries = _entries(slices)
    notes = _notes(slices)
    runs = [
        PagedRun(part.run_id, *notes[part.segment], entries[part.log], part.is_first, part.is_last)
        for part in reversed(slices)
        if part.segment in notes
    ]
    return Page(runs, _before(slices[-1], entries, has_older))


def cursor_at(session_id: str, run_id: str, index: int) -> str | None:
    """The cursor of the page that ends right before that entry of a run. None: no such run in the session."""
    row = SegmentRow.objects.filter(session_id=session_id, run_id=run_id).values_list("id", "log").first()
    if row is None:
        return None
    return str(_Cursor(row[0], index, EntryRow.objects.filter(log=row[1], index__lt=index).count()))


def _slices(
    session_id: str, cursor: _Cursor | None, limit: int, keep_whole: int
) -> tuple[list[_Slice], bool]:
    """What the page takes of which segment, newest first, and whether there are older segments."""
    rows = SegmentRow.objects.filter(session_id=session_id)
    if cursor is not None:
        rows = rows.filter(id__lte=cursor.segment) if cursor.left else rows.filter(id__lt=cursor.segment)
    found = list(rows.order_by("-id").values_list("id", "run_id", "log", "length")[: limit + 1])
    slices: list[_Slice] = []
    room = limit
    for segment, run_id, log, length in found:
        if room <= 0:
            break
        is_cut = cursor is not None and segment == cursor.segment
        available = cursor.left if cursor is not None and is_cut else length
        below = cursor.index if cursor is not None and is_cut else None
        take = available if available <= keep_whole else min(available, room)
        slices.append(_Slice(segment, run_id, log, available, take, below))
        room -= take
    return slices, len(found) > min(len(slices), limit)


def _entries(slices: list[_Slice]) -> dict[uuid.UUID, list[IndexedEntry]]:
    wanted = Q(log__in=[part.log for part in slices if part.is_first and part.is_last])
    for part in slices:
        if not (part.is_first and part.is_last):
            wanted |= _piece(part)
    entries: defaultdict[uuid.UUID, list[IndexedEntry]] = defaultdict(list)
    rows = EntryRow.objects.filter(wanted).order_by("log", "index")
    for log, index, record, data in rows.values_list("log", "index", "pk", "data"):
        entries[log].append((index, decode(record, data)))
    return entries


def _piece(part: _Slice) -> Q:
    piece = Q(log=part.log)
    if part.below is not None:
        piece &= Q(index__lt=part.below)
    if not part.is_first:
        # Indexes have gaps, so the entry at which the piece begins is counted from behind.
        indexes = _indexes(part)[part.take - 1 : part.take]
        piece &= Q(index__gte=Coalesce(Subquery(indexes), 0))
    return piece


def _indexes(part: _Slice) -> QuerySet[EntryRow, int]:
    rows = EntryRow.objects.filter(log=part.log)
    if part.below is not None:
        rows = rows.filter(index__lt=part.below)
    return rows.order_by("-index").values_list("index", flat=True)


def _notes(slices: list[_Slice]) -> dict[int, tuple[dict[str, Any] | None, datetime]]:
    rows = SegmentRow.objects.filter(id__in=[part.segment for part in slices])
    return {
        segment: (read_meta(meta), created_at)
        for segment, meta, created_at in rows.values_list("id", "meta", "created_at")
    }


def _before(oldest: _Slice, entries: dict[uuid.UUID, list[IndexedEntry]], has_older: bool) -> str | None:
    shown = entries[oldest.log]
    if not oldest.is_first and shown:
        return str(_Cursor(oldest.segment, shown[0][0], oldest.available - oldest.take))
    return str(_Cursor(oldest.segment, 0, 0)) if has_older else None
