"""Shortening the tool outputs of old runs; what is taken away is archived first and can be recalled."""

from __future__ import annotations

import uuid

from django.db.models import QuerySet
from django.db.models.functions import Length
from django.utils import timezone

from agents.models import ArchivedResult
from agents.models import Entry as EntryRow
from agents.models import Segment as SegmentRow
from agents.session import require_id
from agents.stores.orm.logs import decode
from agents.stores.orm.transactions import writing
from agents.stores.trimming import archive_digest, check_trim, trimmed
from agents.transcript import ToolResultEntry, entry_to_json


def trim_tool_results(session_id: str, *, keep_chars: int = 400, keep_runs: int = 1) -> int:
    """Shortens the outputs of all runs but the last ones; how many that were. ValueError: below zero."""
    require_id(session_id, "session_id")
    check_trim(keep_chars, keep_runs)
    with writing():
        found = _trimmable(session_id, keep_chars, keep_runs)
        archived = [_archived(session_id, whole) for _, whole, _ in found]
        ArchivedResult.objects.bulk_create(archived, ignore_conflicts=True)
        rows = [EntryRow(pk=record, data=entry_to_json(short)) for record, _, short in found]
        EntryRow.objects.bulk_update(rows, ["data"], batch_size=200)
    return len(found)


def archived_result(session_id: str, call_id: str, *, digest: str = "") -> str | None:
    """The whole output of a call of this session that was shortened, or None.

    Where the call id was used again: the newest, or the one whose digest begins like this.
    """
    rows = ArchivedResult.objects.filter(session_id=session_id, call_id=call_id).order_by("-id")
    if digest:
        rows = rows.filter(digest__startswith=digest)
    return rows.values_list("content", flat=True).first()


def _trimmable(
    session_id: str, keep_chars: int, keep_runs: int
) -> list[tuple[int, ToolResultEntry, ToolResultEntry]]:
    """(row, result, shortened result) of what gets shorter."""
    rows = EntryRow.objects.filter(log__in=_old_logs(session_id, keep_runs), type="tool_result")
    rows = rows.alias(size=Length("data")).filter(size__gt=keep_chars).order_by("pk")
    found: list[tuple[int, ToolResultEntry, ToolResultEntry]] = []
    for record, data in rows.values_list("pk", "data"):
        entry = decode(record, data)
        short = trimmed(entry, keep_chars) if isinstance(entry, ToolResultEntry) else None
        if isinstance(entry, ToolResultEntry) and short is not None:
            found.append((record, entry, short))
    return found


def _old_logs(session_id: str, keep_runs: int) -> QuerySet[SegmentRow, uuid.UUID]:
    rows = SegmentRow.objects.filter(session_id=session_id).order_by("-id")
    return rows.values_list("log", flat=True)[keep_runs:]


def _archived(session_id: str, result: ToolResultEntry) -> ArchivedResult:
    return ArchivedResult(
        session_id=session_id,
        call_id=result.call_id,
        digest=archive_digest(result),
        content=result.output,
        created_at=timezone.now(),
    )
