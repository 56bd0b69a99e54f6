"""The fake model server itself: what it refuses, what it plays, and what it remembers."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.fakes import language, steps
from tests.fakes.model_server import ModelServer
from tests.fakes.steps import Dialect, call, cut, error, hang, say, text, words
from tests.fakes.strict import Refusal, check

USER = {"role": "user", "content": "hello"}
TOOL = {"type": "function", "function": {"name": "clock", "parameters": {"type": "object"}}}


def calling(*ids: str, arguments: str = "{}") -> dict[str, Any]:
    calls = [
        {"id": i, "type": "function", "function": {"name": "clock", "arguments": arguments}} for i in ids
    ]
    return {"role": "assistant", "tool_calls": calls}


def result(call_id: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": "noon"}


def body(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"model": "fake-model", "messages": list(messages), **more}


BROKEN: dict[str, Any] = {
    "no object": [],
    "no model": {"messages": [USER]},
    "empty model": {"model": "", "messages": [USER]},
    "no messages": {"model": "m"},
    "empty messages": body(),
    "unknown role": body({"role": "robot", "content": "x"}),
    "empty user message": body({"role": "user", "content": " "}),
    "empty part": body({"role": "user", "content": [{"type": "text", "text": ""}]}),
    "unknown part": body({"role": "user", "content": [{"type": "smell"}]}),
    "empty assistant message": body(USER, {"role": "assistant", "content": ""}, USER),
    "null assistant message": body(USER, {"role": "assistant", "content": None}, USER),
    "reasoning sent back": body(USER, {"role": "assistant", "content": "a", "reasoning_content": "b"}, USER),
    "empty tool_calls": body(USER, {"role": "assistant", "content": "a", "tool_calls": []}, USER),
    "call without result": body(USER, calling("a"), USER),
    "call at the end": body(USER, calling("a")),
    "one of two results": body(USER, calling("a", "b"), result("a"), USER),
    "result of another call": body(USER, calling("a"), result("b")),
    "result twice": body(USER, calling("a"), result("a"), result("a")),
    "orphan result": body(USER, result("a")),
    "result after the user": body(USER, calling("a"), USER, result("a")),
    "same id twice": body(USER, calling("a", "a"), result("a")),
    "same id again": body(USER, calling("a"), result("a"), calling("a"), result("a")),
    "id too long": body(USER, calling("a" * 41), result("a" * 41)),
    "arguments cut short": body(USER, calling("a", arguments='{"x": 1'), result("a")),
    "arguments no object": body(USER, calling("a", arguments="[1]"), result("a")),
    "arguments not JSON": body(USER, calling("a", arguments='{"x": NaN}'), result("a")),
    "ends with the assistant": body(USER, {"role": "assistant", "content": "a"}),
    "NUL": body({"role": "user", "content": "a\0b"}),
    "half a pair": body({"role": "user", "content": "a\ud83d"}),
    "unknown parameter": body(USER, thinking=True),
    "empty tools": body(USER, tools=[]),
    "tools of one name": body(USER, tools=[TOOL, TOOL]),
    "stream_options without stream": body(USER, stream_options={"include_usage": True}),
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_a_broken_request_is_refused(broken: Any) -> None:
    with pytest.raises(Refusal):
        check(broken)


def test_a_whole_history_is_taken() -> None:
    said = {"role": "assistant", "content": "two calls", "tool_calls": calling("a", "b")["tool_calls"]}
    check(body({"role": "system", "content": "be kind"}, USER, said, result("b"), result("a"), tools=[TOOL]))


async def ask(server: ModelServer, message: str, **more: Any) -> tuple[int, str]:
    request = body({"role": "user", "content": message}, stream=True, **more)
    url = f"{server.url}/chat/completions"
    async with aiohttp.ClientSession() as session, session.post(url, json=request) as response:
        return response.status, await response.text()


def deltas(stream: str) -> list[dict[str, Any]]:
    lines = [line.removeprefix("data: ") for line in stream.splitlines() if line.startswith("data: {")]
    return [choice["delta"] for line in lines for choice in json.loads(line)["choices"]]


def content(stream: str) -> str:
    return "".join(delta.get("content") or "" for delta in deltas(stream))


async def test_the_message_says_what_is_answered(model_server: ModelServer) -> None:
    status, stream = await ask(model_server, "say 3")
    assert (status, content(stream)) == (200, "w1 w2 w3")
    assert stream.rstrip().endswith("data: [DONE]")


async def test_anything_else_is_echoed(model_server: ModelServer) -> None:
    assert content((await ask(model_server, "hello there"))[1]) == "You said: hello there"


async def test_a_script_comes_before_the_message_and_is_used_up(model_server: ModelServer) -> None:
    model_server.script(match="say", turns=[error(500), text("scripted")])
    answers = [await ask(model_server, "say 1") for _ in range(3)]
    assert [status for status, _ in answers] == [500, 200, 200]
    assert [content(stream) for _, stream in answers[1:]] == ["scripted", "w1"]


async def test_a_script_for_another_message_waits(model_server: ModelServer) -> None:
    model_server.script(match="other", turns=[text("for the other")])
    assert content((await ask(model_server, "say 1"))[1]) == "w1"
    assert content((await ask(model_server, "the other one"))[1]) == "for the other"


async def test_a_failure_of_one_attempt(model_server: ModelServer) -> None:
    first, second = [(await ask(model_server, "say 2 | cut x1 | say 1"))[1] for _ in range(2)]
    assert (content(first), "[DONE]" in first) == ("w1 w2", False)
    assert (content(second), "[DONE]" in second) == ("w1 w2w1", True)


async def test_refusals_are_counted_and_scripted_errors_are_not(model_server: ModelServer) -> None:
    assert (await ask(model_server, "overflow"))[0] == 400
    assert model_server.refusals == []
    assert (await ask(model_server, ""))[0] == 400
    assert model_server.refusals == ["messages[0]: content must not be empty"]
    model_server.reset()


async def test_the_record_says_when_the_client_has_gone(model_server: ModelServer) -> None:
    request = body({"role": "user", "content": "say 5 | hang"}, stream=True)
    url = f"{model_server.url}/chat/completions"
    async with aiohttp.ClientSession() as session, session.post(url, json=request):
        await model_server.until(lambda: model_server.requests[-1].tokens == 5)
        assert model_server.requests[-1].is_open
    record = model_server.requests[-1]
    await model_server.until(lambda: not record.is_open)
    assert (record.closed_by, record.text) == ("client", words(5))


async def test_a_hang_before_the_first_byte_sends_nothing(model_server: ModelServer) -> None:
    model_server.script(turns=[[hang(), say(1)]])
    with pytest.raises(TimeoutError):
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=0.1)) as session:
            await session.post(f"{model_server.url}/chat/completions", json=body(USER, stream=True))
    await model_server.until(lambda: not model_server.requests[-1].is_open)
    assert model_server.requests[-1].status is None


@pytest.mark.parametrize("shape", ["fragments", "whole", "no_index", "no_id", "index_zero"])
async def test_calls_keep_name_and_arguments_in_every_shape(model_server: ModelServer, shape: Any) -> None:
    model_server.dialect = Dialect(calls=shape)
    model_server.script(turns=[[call("clock", {"zone": "Europe/Berlin"}, call_id="c1"), cut()]])
    _, stream = await ask(model_server, "what time is it?")
    pieces = [piece for delta in deltas(stream) for piece in delta.get("tool_calls", ())]
    assert "".join(piece["function"]["arguments"] for piece in pieces) == '{"zone": "Europe/Berlin"}'
    assert pieces[0]["function"]["name"] == "clock"
    assert ("id" in pieces[0], "index" in pieces[0]) == (
        shape != "no_id",
        shape not in ("whole", "no_index"),
    )


async def test_a_model_that_does_not_stream(model_server: ModelServer) -> None:
    async with aiohttp.ClientSession() as session:
        async with session.post(f"{model_server.url}/chat/completions", json=body(USER)) as response:
            answer = await response.json()
        async with session.get(f"{model_server.url}/models") as response:
            models = await response.json()
    assert answer["choices"][0]["message"]["content"] == "You said: hello"
    assert [model["id"] for model in models["data"]] == ["fake-model"]


async def test_key_and_model_are_checked_when_asked_for(model_server: ModelServer) -> None:
    model_server.api_key, model_server.models = "secret", ("other",)
    assert (await ask(model_server, "say 1"))[0] == 401
    model_server.api_key = None
    assert (await ask(model_server, "say 1"))[0] == 404


def test_the_language_has_turns_and_lines() -> None:
    turns = language.parse('think 2 @50 | tool clock {"zone": "a | b"} @10\ntool notes | then say 5')
    assert turns == [
        (
            steps.think(2, 50),
            steps.call("clock", '{"zone": "a | b"}', rate=10),
            steps.call("notes"),
        ),
        (steps.say(5),),
    ]


def test_the_language_has_failures() -> None:
    turns = language.parse("error 429 retry 0.5 code slow x2 try later | hang 2 x1 | fail too busy | drop")
    assert turns == [
        (
            steps.error(429, "try later", code="slow", retry_after=0.5, times=2),
            steps.hang(2, 1),
            steps.fail("too busy"),
            steps.drop(),
        )
    ]


@pytest.mark.parametrize("message", ["hello", "say something nice", "say 3 please", "tool", "error"])
def test_ordinary_messages_are_not_commands(message: str) -> None:
    assert language.parse(message) is None


def test_it_runs_as_a_process() -> None:
    root = Path(__file__).parents[2]
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.fakes.model_server", "--port", "0"],
        cwd=root,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("http://127.0.0.1:")
    finally:
        process.kill()
        process.communicate()
