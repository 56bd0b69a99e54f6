"""The double that the other tests stand on."""

import asyncio
from contextlib import aclosing

import pytest

from agents.deltas import Delta, FinishDelta, ReasoningDelta, TextDelta, ToolCallDelta, UsageDelta
from agents.errors import UserError
from agents.providers.base import ModelRequest, Provider, ToolSpec, provider_for
from agents.testing import ScriptedProvider, call, calls, cut, fails, hangs, text
from agents.transcript import InputEntry
from agents.usage import Usage

REQUEST = ModelRequest(model="m", system="", entries=[InputEntry("user", "hi")], tools=[], run_id="r")


async def said(provider: ScriptedProvider) -> list[Delta]:
    return [delta async for delta in provider.stream(REQUEST)]


async def test_text_is_streamed_word_by_word() -> None:
    deltas = await said(ScriptedProvider([text("It is  late.\n", reasoning="hm so")]))
    assert deltas == [
        ReasoningDelta("hm"),
        ReasoningDelta(" so"),
        TextDelta("It"),
        TextDelta(" is"),
        TextDelta("  late.\n"),
        UsageDelta(Usage(1, 1)),
        FinishDelta("stop"),
    ]


async def test_a_call_is_streamed_in_pieces() -> None:
    deltas = await said(ScriptedProvider([call("add", {"a": 1})]))
    assert deltas[:2] == [ToolCallDelta(0, "call_add", "add", '{"a"'), ToolCallDelta(0, None, None, ": 1}")]
    assert deltas[-1] == FinishDelta("tool_calls")


async def test_turns_add_up() -> None:
    deltas = await said(ScriptedProvider([text("I look.") + call("a") + calls(("b", {}), ("c", {}))]))
    slots = [(delta.slot, delta.name) for delta in deltas if isinstance(delta, ToolCallDelta) and delta.name]
    assert slots == [(0, "a"), (1, "b"), (2, "c")]
    assert deltas[-1] == FinishDelta("tool_calls")


async def test_strings_and_functions_are_turns_too() -> None:
    provider = ScriptedProvider(["one", lambda request: text(request.model)])
    assert TextDelta("one") in await said(provider)
    assert TextDelta("m") in await said(provider)


async def test_errors_come_after_what_was_said() -> None:
    provider, heard = ScriptedProvider([fails(ValueError("x"), after="a b")]), list[Delta]()

    async def listen() -> None:
        async for delta in provider.stream(REQUEST):
            heard.append(delta)

    with pytest.raises(ValueError, match="x"):
        await listen()
    assert heard == [TextDelta("a"), TextDelta(" b")]
    assert (provider.open_streams, provider.closed_early) == (0, 0)


async def test_a_cut_has_no_end() -> None:
    assert await said(ScriptedProvider([cut("a")])) == [TextDelta("a")]


async def test_it_hangs_until_it_is_told_to_go_on() -> None:
    gate = asyncio.Event()
    task = asyncio.create_task(said(ScriptedProvider([hangs("a", until=gate)])))
    await asyncio.sleep(0.01)
    assert not task.done()
    gate.set()
    assert (await task)[-1] == FinishDelta("stop")


async def test_leaving_it_is_noticed() -> None:
    provider = ScriptedProvider([text("a b c")])
    async with aclosing(provider.stream(REQUEST)) as deltas:  # type: ignore[type-var]
        async for _ in deltas:
            assert provider.open_streams == 1
            break
    assert (provider.open_streams, provider.closed_early) == (0, 1)


async def test_requests_are_kept_as_they_were() -> None:
    provider, request = ScriptedProvider(["a"]), ModelRequest("m", "s", [], [ToolSpec("t", "", {})], "r")
    async for _ in provider.stream(request):
        request.entries.append(InputEntry("user", "later"))
    assert provider.requests[0].entries == []


async def test_the_end_of_the_script_is_an_error() -> None:
    with pytest.raises(AssertionError, match="script is over"):
        await said(ScriptedProvider())


def test_it_is_a_provider() -> None:
    assert isinstance(ScriptedProvider(), Provider)


@pytest.mark.parametrize("name", ["", ":", "openai", "openai:", ":x"])
def test_a_name_that_names_no_model_is_refused(name: str) -> None:
    with pytest.raises(UserError):
        provider_for(name)
