"""Sessions as plain synchronous functions, one transaction each, for whoever has a thread of their own.

`inside` runs in the transaction, before the commit.
"""

from __future__ import annotations

from agents.models import ArchivedResult
from agents.models import Segment as SegmentRow
from agents.session import require_id
from agents.stores.orm.archive import archived_result, trim_tool_results
from agents.stores.orm.cuts import cut, restore, rewind, set_aside
from agents.stores.orm.logs import delete_log
from agents.stores.orm.pages import Page, PagedRun, cursor_at, page
from agents.stores.orm.segments import (
    append_segment,
    count_entries,
    last_input_ref,
    load,
    log_of,
    segments,
)
from agents.stores.orm.transactions import Inside, execute, fetch, run_inside, writing

__all__ = [
    "Page",
    "PagedRun",
    "append_segment",
    "archived_result",
    "count_entries",
    "cursor_at",
    "cut",
    "delete_session",
    "last_input_ref",
    "load",
    "log_of",
    "page",
    "restore",
    "rewind",
    "segments",
    "set_aside",
    "trim_tool_results",
]


def delete_session(session_id: str, *, inside: Inside = None) -> None:
    """Leaves no row of the session. A run that still goes on loses its lease and writes nothing more."""
    require_id(session_id, "session_id")
    with writing():
        # The checkpoints first: whoever holds one finishes before, or finds nothing to write to.
        for (log,) in fetch(
            "DELETE FROM agents_checkpoint WHERE session_id = %s RETURNING log", [session_id]
        ):
            delete_log(log)
        execute(
            "DELETE FROM agents_entry WHERE log IN (SELECT log FROM agents_segment WHERE session_id = %s)",
            [session_id],
        )
        SegmentRow.objects.filter(session_id=session_id).delete()
        ArchivedResult.objects.filter(session_id=session_id).delete()
        run_inside(inside)
