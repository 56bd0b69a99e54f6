"""The provider itself: decides by rules, and streams as a model does."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from hashlib import blake2s

from agents.deltas import Delta, FinishDelta, ReasoningDelta, TextDelta, ToolCallDelta, UsageDelta
from agents.errors import ProviderError
from agents.providers.base import ModelRequest
from agents.providers.demo.pace import Pace, tokens
from agents.providers.demo.plan import Call, Step, next_step
from agents.providers.demo.rules import choose
from agents.providers.demo.talk import read_talk
from agents.transcript import Entry, ToolCallEntry, ToolResultEntry
from agents.usage import Usage

TOKENS_PER_SECOND = 60.0
FIRST_TOKEN = 12  # as many tokens pass before the first one comes
CHARACTERS_PER_TOKEN = 4
REMEMBERED_BREAKS = 1_000


class DemoProvider:
    """Answers by rules, without a model, a key or a network.

    `tokens_per_second=None` streams without waiting, for tests. The same transcript always gives the same
    answer, but for the breaks that somebody asked to see: one per run and process, so that Retry helps.
    """

    name = "demo"

    def __init__(self, *, tokens_per_second: float | None = TOKENS_PER_SECOND) -> None:
        self._tokens_per_second = tokens_per_second
        self._broken: dict[str, None] = {}

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta]:
        talk = read_talk(request)
        step = next_step(choose(talk), talk.outcomes)
        pace = Pace(self._tokens_per_second)
        await pace.beat(FIRST_TOKEN)
        async for piece in pace.pieces(step.thinking):
            yield ReasoningDelta(piece, provider=self.name)
        async for piece in pace.pieces(self._cut(step, request.run_id)):
            yield TextDelta(piece)
        self._break(step, request.run_id)
        for slot, call in enumerate(step.calls):
            async for delta in stream_call(request, slot, call, pace):
                yield delta
        yield UsageDelta(usage_of(request, step))
        yield FinishDelta("tool_calls" if step.calls else "stop")

    def _cut(self, step: Step, run_id: str) -> str:
        is_cut = step.breaks is not None and run_id not in self._broken
        return step.text[: len(step.text) * 2 // 3] if is_cut else step.text

    def _break(self, step: Step, run_id: str) -> None:
        if step.breaks is None or run_id in self._broken:
            return
        self._broken[run_id] = None
        if len(self._broken) > REMEMBERED_BREAKS:
            self._broken.pop(next(iter(self._broken)))
        raise ProviderError(
            "The demo broke this answer off, as it was asked to.",
            hint="Retry goes on with it.",
            retryable=step.breaks == "retry",
        )


async def stream_call(
    request: ModelRequest, slot: int, call: Call, pace: Pace
) -> AsyncIterator[ToolCallDelta]:
    await pace.beat()
    yield ToolCallDelta(slot, call_id(request, slot), call.name)
    async for piece in pace.pieces(json.dumps(call.arguments, ensure_ascii=False)):
        yield ToolCallDelta(slot, arguments=piece)


def call_id(request: ModelRequest, slot: int) -> str:
    """The same for the same call of the same run, and no other's."""
    before = sum(isinstance(entry, ToolCallEntry) for entry in request.entries)
    digest = blake2s(f"{request.run_id}:{before}:{slot}".encode(), digest_size=8)
    return f"demo_{digest.hexdigest()}"


def usage_of(request: ModelRequest, step: Step) -> Usage:
    """Roughly what a model would have counted, so that the figures of the page have something to show."""
    read = len(request.system) + sum(map(size_of, request.entries))
    said = [step.thinking, step.text, *(json.dumps(call.arguments) for call in step.calls)]
    return Usage(
        input_tokens=read // CHARACTERS_PER_TOKEN,
        output_tokens=sum(len(tokens(text)) for text in said),
    )


def size_of(entry: Entry) -> int:
    if isinstance(entry, ToolCallEntry):
        return len(entry.arguments)
    return len(entry.output if isinstance(entry, ToolResultEntry) else entry.content)
