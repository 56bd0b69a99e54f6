"""What is known of a run beside its entries: how it ended, when, with which model. Pure.

A finished run says it in the meta of its segment, a run in flight in the head of its checkpoint.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from agents.checkpoint import RunHead
from chatapp.history.turns import TurnState

FlightStatus = Literal["running", "waiting", "interrupted", "failed"]
_OPEN_STATES: Mapping[FlightStatus, TurnState] = {
    "running": "running",
    "waiting": "waiting",
    "interrupted": "interrupted_open",
    "failed": "failed_open",
}
_ENDED_STATES: Mapping[Any, TurnState] = {
    "stopped": "stopped",
    "interrupted": "interrupted",
    "failed": "failed",
}


@dataclass(frozen=True, slots=True)
class Flight:
    """A run in flight: its head, and what the lease says of it."""

    status: FlightStatus
    head: RunHead
    stop_requested: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    state: TurnState
    started_at: datetime | None = None
    finished_at: datetime | None = None
    updated_at: datetime | None = None
    error: Mapping[str, Any] | None = None
    assistant: str = ""
    model: str = ""
    usage: Mapping[str, Any] | None = None
    finish_reason: str = ""
    tool_seconds: Mapping[str, float] = field(default_factory=dict)
    reasoning_seconds: Mapping[str, float] = field(default_factory=dict)
    started_calls: frozenset[str] = frozenset()
    call_started_at: Mapping[str, float] = field(default_factory=dict)
    dropped: Sequence[Mapping[str, Any]] = ()
    stopping: bool = False

    @property
    def seconds(self) -> float | None:
        if self.started_at is None or self.finished_at is None:
            return None
        return max(0.0, (self.finished_at - self.started_at).total_seconds())


def facts_of_segment(meta: Mapping[str, Any] | None, created_at: datetime | None) -> Facts:
    """Meta may be absent, or anybody's: what has not the shape that we write counts as absent."""
    meta = meta or {}
    timing = _mapping(meta.get("timing"))
    finished = moment(timing.get("finished_at")) or created_at
    return Facts(
        state=_ENDED_STATES.get(_text(meta.get("status")), "completed"),
        started_at=moment(timing.get("started_at")) or created_at,
        finished_at=finished,
        updated_at=finished,
        error=_mapping(meta.get("error")) or None,
        assistant=_text(meta.get("assistant")),
        model=_text(meta.get("model")),
        usage=_mapping(meta.get("usage")) or None,
        finish_reason=_text(meta.get("finish_reason")),
        tool_seconds=_seconds(meta.get("tool_seconds")),
        reasoning_seconds=_seconds(meta.get("reasoning_seconds")),
        dropped=_dropped(meta.get("dropped_calls")),
    )


def facts_of_flight(flight: Flight) -> Facts:
    head = flight.head
    return Facts(
        state=_OPEN_STATES[flight.status],
        started_at=moment(head.started_at),
        updated_at=moment(head.updated_at),
        error=head.error if flight.status == "failed" else None,
        assistant=head.agent_name,
        tool_seconds=head.tool_seconds,
        reasoning_seconds=_seconds(head.reasoning_seconds),
        started_calls=frozenset(head.started_calls),
        call_started_at=_seconds(head.call_started_at),
        stopping=flight.status == "running" and flight.stop_requested,
    )


def moment(value: Any) -> datetime | None:
    """A time that was stored as ISO text or in Unix time (or is one already); None for anything else."""
    with suppress(ValueError, OverflowError):
        if isinstance(value, float):
            return datetime.fromtimestamp(value, UTC)
        if isinstance(value, str):
            value = datetime.fromisoformat(value)
    if not isinstance(value, datetime):
        return None
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _seconds(value: Any) -> dict[str, float]:
    return {key: float(n) for key, n in _mapping(value).items() if isinstance(n, int | float)}


def _dropped(value: Any) -> list[Mapping[str, Any]]:
    return [call for call in value if isinstance(call, Mapping)] if isinstance(value, list) else []
