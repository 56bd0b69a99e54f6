"""Segments: the finished runs of a session, added and read."""

from __future__ import annotations

import json
import logging
import uuid
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from django.db.models import Sum

from agents.models import Segment as SegmentRow
from agents.session import Segment, require_id
from agents.stores.orm.heads import optional_text
from agents.stores.orm.logs import decode, insert_entries, new_log, readable
from agents.stores.orm.transactions import Inside, fetch, run_inside, writing
from agents.transcript import Entry, InputEntry, UnreadableEntry

logger = logging.getLogger(__name__)

_ENTRIES = (
    "SELECT e.log, e.id, e.data FROM agents_segment s JOIN agents_entry e ON e.log = s.log"
    ' WHERE s.session_id = %s ORDER BY s.id, e."index"'
)


def append_segment(
    session_id: str,
    entries: Sequence[Entry],
    *,
    run_id: str | None = None,
    meta: dict[str, Any] | None = None,
    inside: Inside = None,
) -> str:
    """Adds a segment and returns its run id. A run that the session has already stays as it is."""
    require_id(session_id, "session_id")
    run_id = str(uuid.uuid4()) if run_id is None else require_id(run_id, "run_id")
    log = new_log()
    with writing():
        if insert_segment(session_id, run_id, log, len(entries), meta):
            insert_entries(log, 0, entries)
        run_inside(inside)
    return run_id


def insert_segment(session_id: str, run_id: str, log: Any, length: int, meta: dict[str, Any] | None) -> bool:
    """The row alone. False: the session has a segment of this run already."""
    rows = fetch(
        "INSERT INTO agents_segment (session_id, run_id, log, length, meta, created_at)"
        " VALUES (%s, %s, %s, %s, %s, @now)"
        " ON CONFLICT (session_id, run_id) DO NOTHING RETURNING id",
        [session_id, run_id, log, length, optional_text(meta)],
    )
    return bool(rows)


def segments(session_id: str) -> list[Segment]:
    """By hand: every run begins with it."""
    require_id(session_id, "session_id")
    rows = fetch(
        "SELECT run_id, log, meta FROM agents_segment WHERE session_id = %s ORDER BY id", [session_id]
    )
    entries: defaultdict[Any, list[Entry | UnreadableEntry]] = defaultdict(list)
    for log, record, data in fetch(_ENTRIES, [session_id]) if rows else ():
        entries[log].append(decode(record, data))
    return [
        Segment(run_id, readable(entries[log], of=f"run {run_id}"), read_meta(meta))
        for run_id, log, meta in rows
    ]


def load(session_id: str) -> list[Entry]:
    return [entry for segment in segments(session_id) for entry in segment.entries]


def count_entries(session_id: str) -> int:
    require_id(session_id, "session_id")
    total = SegmentRow.objects.filter(session_id=session_id).aggregate(total=Sum("length"))["total"]
    return total or 0


def last_input_ref(session_id: str) -> tuple[str, int] | None:
    """Run id and index of what a user said last."""
    require_id(session_id, "session_id")
    rows = fetch(
        'SELECT s.run_id, e."index", e.id, e.data FROM agents_segment s JOIN agents_entry e ON e.log = s.log'
        " WHERE s.session_id = %s AND e.type = 'input' ORDER BY s.id DESC, e.\"index\" DESC LIMIT 20",
        [session_id],
    )
    for run_id, index, record, data in rows:
        entry = decode(record, data)
        if isinstance(entry, InputEntry) and entry.role == "user":
            return run_id, index
    return None


def log_of(session_id: str, run_id: str) -> uuid.UUID | None:
    """The log of one of the session's runs; None where the session has no such run."""
    return (
        SegmentRow.objects.filter(session_id=session_id, run_id=run_id).values_list("log", flat=True).first()
    )


def read_meta(text: str | None) -> dict[str, Any] | None:
    if text is None:
        return None
    try:
        meta: dict[str, Any] = json.loads(text)
    except ValueError:
        logger.warning("left out an unreadable meta of a segment")
        return None
    return meta
