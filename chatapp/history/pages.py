"""Pages of a thread as turns: the newest, older ones by cursor, one run, all of it."""

from __future__ import annotations

from collections.abc import Sequence

from chatapp.history.fold import RunRecord, build_turn
from chatapp.history.reading import read_steadily
from chatapp.history.records import PAGE, WHOLE, load_records, load_run
from chatapp.history.tools import tool_facts
from chatapp.history.turns import ThreadPage, Turn
from chatapp.models import Thread

ALL = 1_000_000


def load_page(thread: Thread, *, before: str | None = None, limit: int = PAGE) -> ThreadPage:
    """The last turns of a thread, or those before the cursor. Raises BadCursor."""
    records = load_records(thread, before=before, limit=limit)
    turns = turns_of(thread, records.runs, has_last=before is None)
    return ThreadPage(
        thread.id, turns, records.before, records.run_id, records.after, records.status, records.queue
    )


def load_turn(thread: Thread, run_id: str, *, limit: int = WHOLE) -> Turn | None:
    """One run of the thread, of a longer one the newest piece; None where it has none of this id."""
    record, is_last = read_steadily(thread.session_id, lambda run: load_run(thread, run, run_id, limit=limit))
    return turns_of(thread, [record], has_last=is_last)[0] if record else None


def load_all(thread: Thread) -> tuple[Turn, ...]:
    """Every turn of the thread, for an export."""
    return turns_of(thread, load_records(thread, limit=ALL).runs, has_last=True)


def turns_of(thread: Thread, records: Sequence[RunRecord], *, has_last: bool) -> tuple[Turn, ...]:
    tools = tool_facts(thread.assistant)
    last = len(records) - 1 if has_last else -1
    return tuple(build_turn(record, tools=tools, last=at == last) for at, record in enumerate(records))
