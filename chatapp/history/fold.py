"""One run as a turn: entries, what is known of it, and the frames of what is not stored yet. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from chatapp.eventlog.frames import Frame
from chatapp.history.facts import Facts, Flight, facts_of_flight, facts_of_segment
from chatapp.history.live import Tail, read_tail
from chatapp.history.parts import HandoverTo, Indexed, build_parts, dropped_steps
from chatapp.history.turns import Message, Part, Recover, TextPart, ToolStep, Turn


def _nobody(name: str) -> None:
    return None


def _never(name: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class RunRecord:
    """What is stored of a run, or of a piece of a very long one. `flight` is None for a segment."""

    run_id: str
    entries: Sequence[Indexed]
    meta: dict[str, Any] | None = None
    created_at: datetime | None = None
    starts: bool = True
    ends: bool = True
    flight: Flight | None = None
    frames: Sequence[Frame] = ()


@dataclass(frozen=True, slots=True)
class ToolFacts:
    """What the assistants say of their tools: which may be repeated, and which hand over to whom."""

    is_repeatable: Callable[[str], bool] = _never
    handover_to: HandoverTo = _nobody


def build_turn(record: RunRecord, *, tools: ToolFacts = ToolFacts(), last: bool = False) -> Turn:
    """The turn that shows a run. Never raises for what a session may hold."""
    flight = record.flight
    facts = facts_of_flight(flight) if flight else facts_of_segment(record.meta, record.created_at)
    tail = read_tail(record.frames, stored=stored_of(record.entries), live=facts.state == "running")
    stored = build_parts(record.entries, run_id=record.run_id, facts=facts, handover_to=tools.handover_to)
    message, parts = split_message([*tail.onto(stored), *tail.parts], starts=record.starts)
    turn = Turn(
        run_id=record.run_id,
        state=facts.state,
        message=message,
        parts=parts,
        last=last,
        starts=record.starts,
        ends=record.ends,
        piece=record.entries[0][0] if record.entries else 0,
    )
    return with_end(turn, facts, tail, tools) if record.ends else turn


def with_end(turn: Turn, facts: Facts, tail: Tail, tools: ToolFacts) -> Turn:
    """Adds what stands below an answer: how it ended, what was dropped, what can be done."""
    return replace(
        turn,
        dropped=dropped_steps(facts.dropped),
        started_at=facts.started_at,
        finished_at=facts.finished_at,
        seconds=facts.seconds,
        error=facts.error,
        assistant=facts.assistant,
        model=facts.model,
        usage=facts.usage,
        finish_reason=facts.finish_reason,
        resuming=tail.resuming,
        stopping=facts.stopping,
        retry=tail.retry,
        recover=recover_of(turn.parts, facts, tools),
    )


def stored_of(entries: Sequence[Indexed]) -> int:
    """The index that the run's next entry gets."""
    return entries[-1][0] + 1 if entries else 0


def split_message(parts: Sequence[Part], *, starts: bool) -> tuple[Message | None, tuple[Part, ...]]:
    """The message that began the run, and the rest: a run may hold several, or none."""
    if starts and parts and isinstance(parts[0], Message):
        return parts[0], tuple(parts[1:])
    return None, tuple(parts)


def recover_of(parts: Sequence[Part], facts: Facts, tools: ToolFacts) -> Recover | None:
    """What the panel under an open end says; None where nothing is to be decided."""
    if facts.state not in ("interrupted_open", "failed_open"):
        return None
    steps = [part for part in parts if isinstance(part, ToolStep)]
    started = [step.name for step in steps if step.state == "open" and step.call_id in facts.started_calls]
    return Recover(
        kind="interrupted" if facts.state == "interrupted_open" else "failed",
        at=facts.updated_at,
        running=tuple(started),
        started_unrepeatable=tuple(name for name in started if not tools.is_repeatable(name)),
        finished_steps=sum(step.is_finished for step in steps),
        has_text=any(isinstance(part, TextPart) and part.text for part in parts),
    )
