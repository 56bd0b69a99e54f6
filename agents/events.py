"""What a run tells its caller. Plain data, JSON-safe as it is: `to_dict` only adds the type's name.

`index` is the index that an entry has, or will have, in the run's own log.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal


@dataclass(frozen=True, slots=True)
class RunStarted:
    """`input` are the run's own input entries as dicts; the first of them is at `index`."""

    type: ClassVar[str] = "run_started"
    run_id: str
    agent: str
    input: list[dict[str, Any]]
    resumed: bool
    index: int


@dataclass(frozen=True, slots=True)
class TurnStarted:
    type: ClassVar[str] = "turn_started"
    run_id: str
    turn: int


@dataclass(frozen=True, slots=True)
class TextStreamed:
    type: ClassVar[str] = "text_streamed"
    run_id: str
    index: int
    text: str


@dataclass(frozen=True, slots=True)
class ReasoningStreamed:
    type: ClassVar[str] = "reasoning_streamed"
    run_id: str
    index: int
    text: str


@dataclass(frozen=True, slots=True)
class ToolCallStreaming:
    """The model is writing the arguments of a call. Once per call; nothing of it is stored yet."""

    type: ClassVar[str] = "tool_call_streaming"
    run_id: str
    name: str
    slot: int


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """A call is stored. `started`: it runs from now on; otherwise it waits, and comes again when it
    starts."""

    type: ClassVar[str] = "tool_called"
    run_id: str
    index: int
    call_id: str
    name: str
    arguments: str
    started: bool


@dataclass(frozen=True, slots=True)
class ToolProgressed:
    type: ClassVar[str] = "tool_progressed"
    run_id: str
    call_id: str
    done: float
    total: float | None
    note: str


@dataclass(frozen=True, slots=True)
class ToolReturned:
    """A call's result is stored. `seconds` is how long it ran; None if it never did."""

    type: ClassVar[str] = "tool_returned"
    run_id: str
    index: int
    call_id: str
    name: str
    output: str
    is_error: bool
    seconds: float | None


@dataclass(frozen=True, slots=True)
class HandedOver:
    type: ClassVar[str] = "handed_over"
    run_id: str
    agent: str


@dataclass(frozen=True, slots=True)
class Retrying:
    """The provider broke off and is asked again: attempt `attempt` of `of`."""

    type: ClassVar[str] = "retrying"
    run_id: str
    attempt: int
    of: int
    reason: str


@dataclass(frozen=True, slots=True)
class TextWithdrawn:
    """All that was streamed of this turn is void. Comes right before the first of what replaces it."""

    type: ClassVar[str] = "text_withdrawn"
    run_id: str


@dataclass(frozen=True, slots=True)
class RunCompleted:
    type: ClassVar[str] = "run_completed"
    run_id: str
    output: Any
    usage: dict[str, int]
    turns: int
    finish_reason: str | None
    agent: str
    replayed: bool


@dataclass(frozen=True, slots=True)
class RunPaused:
    type: ClassVar[str] = "run_paused"
    run_id: str
    requests: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class RunFailed:
    """`error`: type, message, hint, and where known status and request_id. `cancelled`: somebody asked for
    the end."""

    type: ClassVar[str] = "run_failed"
    run_id: str
    status: Literal["interrupted", "failed"]
    error: dict[str, Any]
    cancelled: bool


Event = (
    RunStarted
    | TurnStarted
    | TextStreamed
    | ReasoningStreamed
    | ToolCallStreaming
    | ToolCalled
    | ToolProgressed
    | ToolReturned
    | HandedOver
    | Retrying
    | TextWithdrawn
    | RunCompleted
    | RunPaused
    | RunFailed
)

EventStream = AsyncGenerator[Event, None]

TERMINAL = (RunCompleted, RunPaused, RunFailed)


def to_dict(event: Event) -> dict[str, Any]:
    """The event as JSON-safe data: its `type` and its fields."""
    return {"type": event.type} | {field.name: getattr(event, field.name) for field in fields(event)}
