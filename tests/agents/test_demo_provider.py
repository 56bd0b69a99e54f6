"""How the demo streams: like a model, at its pace, always the same, and closed at once."""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from agents.deltas import Delta, FinishDelta, ReasoningDelta, TextDelta, ToolCallDelta, UsageDelta
from agents.errors import ProviderError
from agents.providers.base import Provider, provider_for
from agents.providers.demo import DemoProvider
from agents.providers.demo.pace import tokens
from agents.transcript import Entry, InputEntry, ToolCallEntry, ToolResultEntry
from tests.agents.demo import request, stream

CITIES: list[Entry] = [InputEntry("user", "What time is it in Tokyo, Lima and Berlin?")]


def text_of(deltas: list[Delta]) -> str:
    return "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))


async def collect(deltas: AsyncIterator[Delta], into: list[Delta]) -> None:
    async for delta in deltas:
        into.append(delta)  # noqa: PERF401 (what came before an error counts too)


def test_it_is_the_provider_of_that_name_once_per_process() -> None:
    provider, model = provider_for("demo")
    assert isinstance(provider, DemoProvider)
    assert isinstance(provider, Provider)
    assert (model, provider.name) == ("demo", "demo")
    assert provider_for("demo")[0] is provider


async def test_it_thinks_then_calls_then_counts_then_ends() -> None:
    deltas = await stream(CITIES)
    kinds = list(dict.fromkeys(type(delta) for delta in deltas))
    assert kinds == [ReasoningDelta, ToolCallDelta, UsageDelta, FinishDelta]
    assert deltas[-1] == FinishDelta("tool_calls")


async def test_calls_of_one_step_are_parallel_and_their_arguments_come_in_pieces() -> None:
    deltas = [delta for delta in await stream(CITIES) if isinstance(delta, ToolCallDelta)]
    arguments = {0: "", 1: "", 2: ""}
    for delta in deltas:
        arguments[delta.slot] += delta.arguments
    assert arguments == {0: '{"place": "Tokyo"}', 1: '{"place": "Lima"}', 2: '{"place": "Berlin"}'}
    assert len(deltas) > 9
    assert len({delta.call_id for delta in deltas if delta.call_id}) == 3


async def test_the_same_transcript_gives_the_same_answer() -> None:
    assert await stream(CITIES) == await stream(CITIES)


async def test_call_ids_differ_between_turns_and_between_runs() -> None:
    provider = DemoProvider(tokens_per_second=None)
    call, result = ToolCallEntry("x", "clock", "{}"), ToolResultEntry("x", "")
    requests = [
        request(CITIES, run_id="one"),
        request(CITIES, run_id="two"),
        request([*CITIES, call, result, *CITIES], run_id="one"),
    ]
    ids = [
        delta.call_id
        for asked in requests
        async for delta in provider.stream(asked)
        if isinstance(delta, ToolCallDelta) and delta.call_id
    ]
    assert len(ids) == len(set(ids)) == 9


async def test_usage_grows_with_the_transcript() -> None:
    deltas = await stream([InputEntry("user", "x" * 400), *CITIES])
    usage = next(delta.usage for delta in deltas if isinstance(delta, UsageDelta))
    assert usage.input_tokens > 100
    assert usage.output_tokens > 20


@pytest.mark.parametrize(
    "text", ["A few words, no more.\n\n- a list\n", "先写下来，再说出去。", "`x`  😀  مرحبا", ""]
)
def test_pieces_are_small_and_add_up_to_the_text(text: str) -> None:
    pieces = tokens(text)
    assert "".join(pieces) == text
    assert all(len(piece.strip()) <= 5 for piece in pieces)


async def test_it_streams_at_its_pace() -> None:
    provider = DemoProvider(tokens_per_second=1_000)
    started = time.monotonic()
    deltas = [delta async for delta in provider.stream(request([InputEntry("user", "tell me a long story")]))]
    rate = len(deltas) / (time.monotonic() - started)
    assert 400 < rate <= 1_050


async def test_closing_the_stream_ends_it_at_once() -> None:
    provider = DemoProvider(tokens_per_second=10)
    deltas = provider.stream(request(CITIES))
    task = asyncio.create_task(anext(deltas))  # type: ignore[arg-type]
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("text, is_retryable", [("break off in the middle", False), ("stumble once", True)])
async def test_a_break_that_was_asked_for_comes_once_per_run(text: str, is_retryable: bool) -> None:
    provider = DemoProvider(tokens_per_second=None)
    entries: list[Entry] = [InputEntry("user", text)]
    first: list[Delta] = []
    with pytest.raises(ProviderError) as caught:
        await collect(provider.stream(request(entries)), first)
    second = [delta async for delta in provider.stream(request(entries))]
    assert caught.value.retryable is is_retryable
    assert text_of(first)
    assert text_of(second).startswith(text_of(first))
    assert second[-1] == FinishDelta("stop")
