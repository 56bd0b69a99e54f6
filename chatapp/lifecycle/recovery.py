"""When a run may go on by itself after its owner is gone. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agents.stores.orm.checkpoints import InFlight
from agents.transcript import Entry, InputEntry, pending_tool_calls

MAX_AUTOMATIC_RESUMES = 3


def may_resume(
    run: InFlight, entries: Sequence[Entry], *, has_shown: bool, is_repeatable: Callable[[str], bool]
) -> bool:
    """Whether the run goes on without being asked.

    `entries` are the run's own, `has_shown` tells of text beyond them. Only a run whose owner vanished or
    handed it over, that nobody asked to stop, with no unrepeatable call begun; and either nothing of the
    answer was shown, or it was handed over, or only repeatable calls are open. Three times at most.
    """
    if run.live or run.stop_requested or run.auto_resumes >= MAX_AUTOMATIC_RESUMES:
        return False
    if run.head.status != "running" and not run.handed_over:
        return False
    open_calls = pending_tool_calls(list(entries))
    begun = [call.name for call in open_calls if call.call_id in run.head.started_calls]
    if not all(is_repeatable(name) for name in begun):
        return False
    nothing_shown = not has_shown and all(isinstance(entry, InputEntry) for entry in entries)
    only_repeatable = bool(open_calls) and all(is_repeatable(call.name) for call in open_calls)
    return nothing_shown or run.handed_over or only_repeatable
