"""One answer of the model while it is being written: deltas in, events out, and at its end the entries to
store."""

from __future__ import annotations

import re
import time
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from agents.context.tokens import estimate_text
from agents.deltas import Delta, FinishDelta, ReasoningDelta, TextDelta, ToolCallDelta, UsageDelta
from agents.events import Event, ReasoningStreamed, TextStreamed, ToolCallStreaming
from agents.transcript import (
    AssistantTextEntry,
    Entry,
    ReasoningEntry,
    TextCleaner,
    ToolCallEntry,
    clean_json,
    clean_text,
)
from agents.usage import Usage

_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_.-]+")


@dataclass(slots=True)
class _Part:
    """Text or reasoning; `index` is the one that its entry will have."""

    index: int
    is_reasoning: bool
    id: str | None = None
    provider: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    pieces: list[str] = field(default_factory=list)
    cleaner: TextCleaner = field(default_factory=TextCleaner)
    began: float = field(default_factory=time.monotonic)
    seconds: float = 0.0

    def entry(self) -> Entry:
        content = "".join(self.pieces)
        if self.is_reasoning:
            return ReasoningEntry(content, self.id, self.provider, clean_json(self.metadata))
        return AssistantTextEntry(content)


@dataclass(slots=True)
class _Call:
    call_id: str | None = None
    name: str | None = None
    arguments: list[str] = field(default_factory=list)


class TurnDraft:
    """`feed` costs the same for each delta, however long the answer is. Calls stand behind all that was
    said."""

    def __init__(self, *, run_id: str, first_index: int, provider: str) -> None:
        self.usage: Usage | None = None
        self.finish_reason: str | None = None
        self._run_id = run_id
        self._next_index = first_index
        self._provider = provider
        self._parts: list[_Part] = []
        self._open: _Part | None = None
        self._calls: dict[int, _Call] = {}

    @property
    def has_content(self) -> bool:
        return bool(self._parts or self._calls)

    @property
    def has_calls(self) -> bool:
        return bool(self._calls)

    @property
    def text(self) -> str:
        """What the model said, without its reasoning."""
        return "".join(piece for part in self._parts if not part.is_reasoning for piece in part.pieces)

    @property
    def reasoning_seconds(self) -> dict[str, float]:
        """How long each reasoning entry took, by its index; one that is not over, so far."""
        now = time.monotonic()
        return {
            str(part.index): round(now - part.began if part is self._open else part.seconds, 3)
            for part in self._parts
            if part.is_reasoning
        }

    def feed(self, delta: Delta) -> tuple[Event, ...]:
        match delta:
            case TextDelta():
                return self._feed_text(delta.text)
            case ToolCallDelta():
                return self._feed_call(delta)
            case ReasoningDelta():
                return self._feed_reasoning(delta)
            case UsageDelta():
                self.usage = delta.usage
            case FinishDelta():
                self.finish_reason = clean_text(delta.reason)
        return ()

    def close(self) -> tuple[Event, ...]:
        """The stream is over: what the border had held back."""
        part, self._open = self._open, None
        if part is None:
            return ()
        part.seconds = time.monotonic() - part.began
        return self._shown(part, part.cleaner.flush())

    def entries(self, *, taken: AbstractSet[str]) -> list[Entry]:
        """After `close`. A call without an id, or with one that the run has used already, gets one of its
        own."""
        said = [part.entry() for part in self._parts]
        used = set(taken)
        return said + [_call_entry(self._calls[slot], used) for slot in sorted(self._calls)]

    def estimated_output(self) -> int:
        said = sum(estimate_text(piece) for part in self._parts for piece in part.pieces)
        return said + sum(estimate_text("".join(call.arguments)) for call in self._calls.values())

    def _feed_text(self, text: str) -> tuple[Event, ...]:
        part = self._open
        if part is not None and not part.is_reasoning:
            return self._shown(part, part.cleaner.feed(text))
        if not text:
            return ()
        closing = self.close()
        part = self._begin(is_reasoning=False)
        return closing + self._shown(part, part.cleaner.feed(text))

    def _feed_reasoning(self, delta: ReasoningDelta) -> tuple[Event, ...]:
        part = self._reasoning_part(delta)
        closing: tuple[Event, ...] = ()
        if part is None:
            if not delta.text and not delta.metadata:
                return ()
            closing = self.close()
            part = self._begin(is_reasoning=True)
        part.id = part.id or delta.id
        part.provider = part.provider or delta.provider or self._provider
        part.metadata |= delta.metadata or {}
        return closing + self._shown(part, part.cleaner.feed(delta.text))

    def _reasoning_part(self, delta: ReasoningDelta) -> _Part | None:
        """The entry that the delta goes on with. A signature may come when its entry is closed already."""
        reasoning = [part for part in self._parts[-2:] if part.is_reasoning]
        last = reasoning[-1] if reasoning else None
        if last is None or (delta.id and last.id and delta.id != last.id):
            return None
        return last if last is self._open or not delta.text else None

    def _feed_call(self, delta: ToolCallDelta) -> tuple[Event, ...]:
        call = self._calls.setdefault(delta.slot, _Call())
        call.call_id = call.call_id or delta.call_id
        if delta.arguments:
            call.arguments.append(delta.arguments)
        if call.name or not delta.name:
            return ()
        call.name = _clean_name(delta.name)
        return (ToolCallStreaming(self._run_id, call.name, delta.slot),)

    def _begin(self, *, is_reasoning: bool) -> _Part:
        self._open = _Part(self._next_index, is_reasoning)
        self._next_index += 1
        self._parts.append(self._open)
        return self._open

    def _shown(self, part: _Part, text: str) -> tuple[Event, ...]:
        if not text:
            return ()
        part.pieces.append(text)
        kind = ReasoningStreamed if part.is_reasoning else TextStreamed
        return (kind(self._run_id, part.index, text),)


def _clean_name(name: str) -> str:
    """No vendor takes back a name with anything else in it, though models do make up such names."""
    return _NOT_IN_NAMES.sub("_", name)[:64] or "unknown"


def _call_entry(call: _Call, used: set[str]) -> ToolCallEntry:
    wanted = clean_text(call.call_id or "")[:120] or f"call_{uuid4().hex[:16]}"
    call_id, again = wanted, 2
    while call_id in used:
        call_id, again = f"{wanted}-{again}", again + 1
    used.add(call_id)
    return ToolCallEntry(call_id, call.name or "unknown", clean_text("".join(call.arguments)))
