"""What a provider yields while a model answers. Frozen plain data; a provider's own objects never get past
it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agents.usage import Usage


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """A piece of reasoning. Another `id` than before begins another entry; `metadata` (such as a signature)
    adds up."""

    text: str = ""
    id: str | None = None
    provider: str | None = None
    metadata: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """A piece of the call in `slot`. `call_id` and `name` come whole, once or repeated; `arguments` adds
    up."""

    slot: int
    call_id: str | None = None
    name: str | None = None
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class UsageDelta:
    """What the request has used. It counts for the whole request: a later one replaces an earlier one."""

    usage: Usage


@dataclass(frozen=True, slots=True)
class FinishDelta:
    """The model ended its turn: `stop`, `tool_calls`, `length`, `content_filter`, or a vendor's own word."""

    reason: str


Delta = TextDelta | ReasoningDelta | ToolCallDelta | UsageDelta | FinishDelta
