"""Fold: a run that will not go on becomes a segment. The rule is pure; the transaction is below it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone

from agents.checkpoint import RunHead
from agents.errors import LeaseLost
from agents.stores.orm import checkpoints
from agents.stores.orm.checkpoints import InFlight
from agents.stores.orm.transactions import writing
from agents.transcript import (
    Entry,
    ToolCallEntry,
    ToolResultEntry,
    UnreadableEntry,
    pending_tool_calls,
)
from chatapp.eventlog import Frame, partial_entries, record, tail
from chatapp.lifecycle.ownership import QUEUED_OWNER, as_it_is
from chatapp.lifecycle.status import Ending
from chatapp.models import Thread

LAST_TURN = 400
"""How far back the dangling calls of a run are looked for at first: they can only be in its last turn."""


@dataclass(frozen=True, slots=True)
class Folded:
    """What a fold does to a run's log: rows to drop by index, entries to add, and the segment's meta."""

    drop: list[int]
    tail: list[Entry]
    meta: dict[str, Any]


def plan_fold(
    entries: Sequence[tuple[int, Entry]],
    shown: list[Entry],
    head: RunHead,
    *,
    ending: Ending,
    model: str = "",
    finished_at: datetime | None = None,
) -> Folded:
    """The fold of a run whose stored entries end with `entries` and which has shown `shown` beyond them.

    Calls without a result go, and are named in the meta with whether they had started.
    """
    dangling = {id(call) for call in pending_tool_calls([entry for _, entry in entries])}
    dropped = [(index, entry) for index, entry in entries if id(entry) in dangling]
    meta = meta_of(head, ending=ending, model=model, finished_at=finished_at)
    if dropped:
        meta["dropped_calls"] = [
            _dropped(call, head) for _, call in dropped if isinstance(call, ToolCallEntry)
        ]
    return Folded(drop=[index for index, _ in dropped], tail=shown, meta=meta)


def meta_of(head: RunHead, *, ending: Ending, model: str, finished_at: datetime | None) -> dict[str, Any]:
    """What the segment of a run that did not complete says of it; the same fields as a completed one's."""
    meta: dict[str, Any] = {
        "status": ending,
        "usage": head.usage.to_dict(),
        "model": head.model or model,
        "assistant": head.agent_name,
        "turns": head.turns,
        "timing": {"started_at": _iso(head.started_at), "finished_at": _iso(finished_at)},
        "tool_seconds": dict(head.tool_seconds),
    }
    optional = {"reasoning_seconds": dict(head.reasoning_seconds), "usage_estimated": head.usage_estimated}
    meta |= {name: value for name, value in optional.items() if value}
    if head.error is not None and ending != "stopped":
        meta["error"] = head.error
    return meta


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def _dropped(call: ToolCallEntry, head: RunHead) -> dict[str, Any]:
    return {
        "call_id": call.call_id,
        "name": call.name,
        "arguments": call.arguments,
        "started": call.call_id in head.started_calls,
    }


def last_turn(run: InFlight, reach: int = LAST_TURN) -> list[tuple[int, Entry | UnreadableEntry]]:
    """The newest entries, from before the calls of the last turn on, however many these are."""
    start = max(0, run.next_index - reach)
    recent = checkpoints.indexed_entries(run.log, start=start)
    is_torn = start > 0 and bool(recent) and isinstance(recent[0][1], ToolCallEntry | ToolResultEntry)
    return last_turn(run, reach * 4) if is_torn else recent


def fold(thread: Thread, run: InFlight, *, fence: int, ending: Ending) -> None:
    """Makes the run, as it was read under its lease, a segment, in the caller's transaction.

    What was shown and is not stored is read from the event log, so the frames must be written before.
    Raises LeaseLost where the lease has gone.
    """
    if run.run_id not in checkpoints.hold_fences({run.run_id: fence}):
        raise LeaseLost(f"Run {run.run_id} belongs to somebody else by now.")
    shown = partial_entries(tail(thread.id, run.run_id, run.next_index), run.next_index)
    recent = last_turn(run)
    plan = plan_fold(
        [(index, entry) for index, entry in recent if isinstance(entry, Entry)],
        shown,
        run.head,
        ending=ending,
        model=thread.model,
        finished_at=timezone.now(),
    )
    checkpoints.fold(run.run_id, fence, tail=plan.tail, drop=plan.drop, meta=plan.meta)


def take_over_and_fold(thread: Thread, run: InFlight, *, ending: Ending) -> list[Frame]:
    """Folds in the place of an owner that is gone or deaf: its writes fail from now on. → frames"""
    with writing():
        fence = checkpoints.claim(run.run_id, owner=checkpoints.process_owner(), force=True)
        if fence is None:  # its owner was not deaf after all, and has ended it
            return []
        return _end(thread, run, fence=fence, ending=ending)


def fold_waiting(thread: Thread, run: InFlight, *, ending: Ending) -> list[Frame] | None:
    """Folds a run that waits for a worker. → frames, or None where one has taken it by now"""
    with writing():
        owner = checkpoints.process_owner()
        fence = checkpoints.take_over(run.run_id, owner=owner, from_owner=QUEUED_OWNER)
        return None if fence is None else _end(thread, run, fence=fence, ending=ending)


def _end(thread: Thread, run: InFlight, *, fence: int, ending: Ending) -> list[Frame]:
    run = as_it_is(run)
    finished = finished_frame(ending, error=run.head.error)
    frames = record(thread.id, run.run_id, [finished], stored=run.next_index)
    fold(thread, run, fence=fence, ending=ending)
    return frames


def finished_frame(status: str, *, error: dict[str, Any] | None = None) -> Frame:
    frame: Frame = {"type": "run_finished", "status": status, "finished_at": timezone.now().isoformat()}
    if error is not None and status in ("failed", "interrupted"):
        frame["error"] = error
    return frame
