"""The OpenAI-compatible provider against the strict fake server: what it asks, reads, survives and closes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest

from agents.deltas import Delta, FinishDelta, ReasoningDelta, TextDelta, ToolCallDelta, UsageDelta
from agents.errors import ContextOverflow, ProviderError, UserError
from agents.providers.base import ModelRequest, provider_for
from agents.providers.openai import OpenAIProvider, ServerConfig
from agents.providers.openai import provider as openai_provider
from agents.transcript import AssistantTextEntry, Entry, InputEntry, ToolCallEntry, ToolResultEntry
from agents.usage import Usage
from tests.fakes.model_server import ModelServer
from tests.fakes.steps import Dialect, call, error, half_pair, overflow, raw, say, text, think, usage, words


def asking(message: str, **more: Any) -> ModelRequest:
    return ModelRequest(
        model="m", system="", entries=[InputEntry("user", message)], tools=[], run_id="r", **more
    )


@pytest.fixture
async def provider(model_server: ModelServer) -> AsyncIterator[OpenAIProvider]:
    provider = OpenAIProvider(ServerConfig(model_server.url))
    yield provider
    await provider.close()


async def read(provider: OpenAIProvider, message: str = "hello", **more: Any) -> list[Delta]:
    return [delta async for delta in provider.stream(asking(message, **more))]


def text_of(deltas: list[Delta]) -> str:
    return "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))


def calls_of(deltas: list[Delta]) -> dict[int, tuple[str, str]]:
    calls: dict[int, tuple[str, str]] = {}
    for delta in deltas:
        if isinstance(delta, ToolCallDelta):
            name, arguments = calls.get(delta.slot, ("", ""))
            calls[delta.slot] = (delta.name or name, arguments + delta.arguments)
    return calls


async def failure(provider: OpenAIProvider, message: str = "hello") -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await read(provider, message)
    return caught.value


async def test_a_whole_answer(model_server: ModelServer, provider: OpenAIProvider) -> None:
    model_server.script(
        [[think("hm"), text("I look."), call("clock", {"zone": "UTC"}, call_id="c1"), usage(90, 8, 60)]]
    )
    deltas = await read(provider)
    reasoning = [delta.text for delta in deltas if isinstance(delta, ReasoningDelta)]
    assert ("".join(reasoning), text_of(deltas)) == ("hm", "I look.")
    assert calls_of(deltas) == {0: ("clock", '{"zone": "UTC"}')}
    assert deltas[-2:] == [UsageDelta(Usage(90, 8, 60)), FinishDelta("tool_calls")]


async def test_every_token_arrives_once(provider: OpenAIProvider) -> None:
    assert text_of(await read(provider, "say 500")) == words(500)


@pytest.mark.parametrize("shape", ["fragments", "whole", "no_index", "no_id", "index_zero"])
async def test_parallel_calls_of_every_kind_of_server(
    model_server: ModelServer, provider: OpenAIProvider, shape: Any
) -> None:
    model_server.dialect = Dialect(calls=shape, finish_reason="stop")
    model_server.script(
        [[call("clock", {"zone": "UTC"}), call("notes", {"word": "tea and cake"}), call("clock")]]
    )
    deltas = await read(provider)
    assert calls_of(deltas) == {
        0: ("clock", '{"zone": "UTC"}'),
        1: ("notes", '{"word": "tea and cake"}'),
        2: ("clock", "{}"),
    }
    ids = [delta.call_id for delta in deltas if isinstance(delta, ToolCallDelta) and delta.call_id]
    assert len(set(ids)) == 3
    assert deltas[-1] == FinishDelta("tool_calls")


@pytest.mark.parametrize(
    "dialect",
    [
        Dialect(chop=5),
        Dialect(line_end=b"\r\n"),
        Dialect(done_line=False),
        Dialect(always_usage=True),
        Dialect(streams=False),
        Dialect(reasoning_field="reasoning"),
    ],
    ids=["torn", "crlf", "no [DONE]", "usage at the finish", "no stream", "reasoning"],
)
async def test_less_exact_servers_are_read_the_same(
    model_server: ModelServer, provider: OpenAIProvider, dialect: Dialect
) -> None:
    model_server.dialect = dialect
    deltas = await read(provider, "think 3 | text zwölf 漢字 😀 | usage 7 8 | tool clock {}")
    assert [type(delta) for delta in deltas if not isinstance(delta, ToolCallDelta | TextDelta)] == [
        *[ReasoningDelta] * sum(isinstance(delta, ReasoningDelta) for delta in deltas),
        UsageDelta,
        FinishDelta,
    ]
    assert (text_of(deltas), calls_of(deltas)) == ("zwölf 漢字 😀", {0: ("clock", "{}")})
    assert deltas[-2] == UsageDelta(Usage(7, 8))


async def test_a_server_without_stream_options_is_asked_again_once(
    model_server: ModelServer, provider: OpenAIProvider
) -> None:
    model_server.dialect = Dialect(stream_options=False)
    assert text_of(await read(provider, "say 2")) == "w1 w2"
    assert text_of(await read(provider, "say 3")) == "w1 w2 w3"
    assert ["stream_options" in request.body for request in model_server.requests] == [True, False, False]


async def test_another_refusal_is_not_asked_again(
    model_server: ModelServer, provider: OpenAIProvider
) -> None:
    await read(provider, "say 1")
    model_server.script([error(400, "no such parameter")], repeat=True)
    assert (await failure(provider)).status == 400
    assert len(model_server.requests) == 2


@pytest.mark.parametrize(
    ("status", "retryable"),
    [
        (400, False),
        (401, False),
        (403, False),
        (404, False),
        (422, False),
        (429, True),
        (500, True),
        (503, True),
    ],
)
async def test_refusals_say_whether_to_try_again(
    model_server: ModelServer, provider: OpenAIProvider, status: int, retryable: bool
) -> None:
    model_server.script([error(status, "because", code="reason")], repeat=True)
    refusal = await failure(provider)
    assert (refusal.status, refusal.code, refusal.retryable) == (status, "reason", retryable)
    assert str(refusal) == f"The model server answered {status}: because"
    assert refusal.request_id == f"req_{len(model_server.requests)}"


async def test_retry_after_is_passed_on(model_server: ModelServer, provider: OpenAIProvider) -> None:
    model_server.script([error(429, retry_after=1.5)])
    assert (await failure(provider)).retry_after == 1.5


async def test_no_quota_is_nothing_to_wait_for(model_server: ModelServer, provider: OpenAIProvider) -> None:
    model_server.script([error(429, code="insufficient_quota")])
    assert not (await failure(provider)).retryable


async def test_a_request_that_is_too_long_is_told_apart(
    model_server: ModelServer, provider: OpenAIProvider
) -> None:
    model_server.script([overflow()])
    refusal = await failure(provider)
    assert isinstance(refusal, ContextOverflow)
    assert (refusal.code, refusal.retryable) == ("context_length_exceeded", False)
    assert len(model_server.requests) == 1


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("say 3 | cut", "stream_cut"),
        ("say 3 | drop", "connection"),
        ("say 3 | fail too busy", "server_error"),
        ("say 3 | raw data: {broken", "malformed_stream"),
    ],
)
async def test_what_breaks_off_can_be_asked_again(provider: OpenAIProvider, line: str, code: str) -> None:
    seen: list[Delta] = []

    async def read_on() -> None:
        async for delta in provider.stream(asking(line)):
            seen.append(delta)  # noqa: PERF401 (what came before the error counts)

    with pytest.raises(ProviderError) as caught:
        await read_on()
    assert (text_of(seen), caught.value.code, caught.value.retryable) == ("w1 w2 w3", code, True)


async def test_half_a_character_is_completed_or_replaced(
    model_server: ModelServer, provider: OpenAIProvider
) -> None:
    model_server.script([half_pair()])
    assert text_of(await read(provider)) == "😀"
    assert text_of(await read(provider, "text a | lone")) == "a�"


@pytest.mark.parametrize("line", ["hang", "say 2 | hang"])
async def test_a_silent_server_is_left(model_server: ModelServer, line: str) -> None:
    impatient = OpenAIProvider(ServerConfig(model_server.url, idle_timeout=0.2))
    error = await failure(impatient, line)
    assert (error.retryable, "sent nothing for 0.2 seconds" in str(error)) == (True, True)
    await model_server.until(lambda: not model_server.requests[-1].is_open, 1)


async def test_a_slow_server_is_not_silent(model_server: ModelServer) -> None:
    impatient = OpenAIProvider(ServerConfig(model_server.url, idle_timeout=0.2))
    assert text_of(await read(impatient, "say 12 @20")) == words(12)


@pytest.mark.parametrize(
    "line", ["hang", "say 20 | hang", "say 400 @200", "tool clock {} | hang", "think 9 | hang"]
)
async def test_cancel_closes_the_connection_at_once(
    model_server: ModelServer, provider: OpenAIProvider, line: str
) -> None:
    task = asyncio.create_task(read(provider, line))
    await model_server.until(lambda: model_server.requests)
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    request = model_server.requests[-1]
    await model_server.until(lambda: not request.is_open)
    assert request.closed_by == "client"


async def test_leaving_the_stream_closes_the_connection_at_once(
    model_server: ModelServer, provider: OpenAIProvider
) -> None:
    seen = ""
    async with aclosing(provider.stream(asking("say 400 @100"))) as stream:
        async for delta in stream:
            seen += delta.text if isinstance(delta, TextDelta) else ""
            if seen.count("w") == 20:
                break
    request = model_server.requests[-1]
    await model_server.until(lambda: not request.is_open)
    assert request.closed_by == "client"
    assert seen == words(20)


async def test_a_connection_that_was_read_to_its_end_is_used_again(
    model_server: ModelServer, provider: OpenAIProvider
) -> None:
    for _ in range(3):
        await read(provider, "say 3")
    assert len({request.peer for request in model_server.requests}) == 1


async def test_many_runs_at_once(model_server: ModelServer, provider: OpenAIProvider) -> None:
    answers = await asyncio.gather(*(read(provider, f"say {n}") for n in range(1, 61)))
    assert [text_of(answer) for answer in answers] == [words(n) for n in range(1, 61)]


def test_each_event_loop_has_its_session(model_server: ModelServer) -> None:
    provider = OpenAIProvider(ServerConfig(model_server.url))
    assert [text_of(asyncio.run(read(provider, "say 2"))) for _ in range(2)] == ["w1 w2"] * 2


async def test_a_history_with_calls_is_taken(model_server: ModelServer, provider: OpenAIProvider) -> None:
    entries: list[Entry] = [
        InputEntry("user", "what time is it?"),
        AssistantTextEntry("I look."),
        ToolCallEntry("c1", "clock", '{"zone": "Eur'),
        ToolResultEntry("c1", "no such zone", is_error=True),
        InputEntry("user", "say 1"),
    ]
    request = ModelRequest(model="m", system="be kind", entries=entries, tools=[], run_id="r")
    assert text_of([delta async for delta in provider.stream(request)]) == "w1"
    assert model_server.requests[-1].messages[2]["content"] == "I look."


async def test_the_key_is_sent_where_there_is_one(model_server: ModelServer) -> None:
    await read(OpenAIProvider(ServerConfig(model_server.url)), "say 1")
    await read(OpenAIProvider(ServerConfig(model_server.url, "secret")), "say 1")
    assert [request.headers.get("Authorization") for request in model_server.requests] == [
        None,
        "Bearer secret",
    ]


async def test_a_wrong_key_says_what_to_check(model_server: ModelServer, provider: OpenAIProvider) -> None:
    model_server.api_key = "secret"
    assert (await failure(provider)).hint == "Set OPENAI_API_KEY."


async def test_without_key_and_server_nothing_is_asked() -> None:
    refusal = await failure(OpenAIProvider(ServerConfig()))
    assert (refusal.code, refusal.retryable) == ("no_api_key", False)


async def test_a_server_that_is_not_there(model_server: ModelServer) -> None:
    error = await failure(OpenAIProvider(ServerConfig("http://127.0.0.1:9/v1")))
    assert (error.code, error.retryable) == ("connection", True)
    assert "127.0.0.1:9 cannot be reached" in str(error)


async def test_a_web_page_is_no_model(model_server: ModelServer) -> None:
    wrong = OpenAIProvider(ServerConfig(model_server.url.replace("/v1", "/web")))
    error = await failure(wrong)
    assert (error.retryable, "OPENAI_BASE_URL" in error.hint) == (False, True)


async def test_unusual_bytes_change_nothing(model_server: ModelServer, provider: OpenAIProvider) -> None:
    model_server.script(
        [[raw(": ping\n\nevent: ping\ndata: {}\n\n"), say(2), raw("\n\nretry: 3\n\n"), say(1)]]
    )
    assert text_of(await read(provider)) == "w1 w2w1"


def test_the_environment_names_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", " http://127.0.0.1:11434/v1/ ")
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    monkeypatch.setenv("OPENAI_IDLE_TIMEOUT", "300")
    assert ServerConfig.from_environment() == ServerConfig(
        "http://127.0.0.1:11434/v1", "key", idle_timeout=300
    )
    assert "key" not in repr(ServerConfig.from_environment())
    monkeypatch.setenv("OPENAI_IDLE_TIMEOUT", "soon")
    with pytest.raises(UserError):
        ServerConfig.from_environment()


def test_one_provider_per_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    first, name = provider_for("openai:some/model:7b")
    assert (first, name) == (openai_provider(), "some/model:7b")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:2/v1")
    assert provider_for("openai:m")[0] is not first
