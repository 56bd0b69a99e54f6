"""Other vendors by pydantic-ai: its FunctionModel, and its OpenAI model against the strict fake server."""

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.messages import (
    BinaryContent,
    ImageUrl,
    ModelMessage,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, StreamedResponse
from pydantic_ai.models.function import AgentInfo, DeltaThinkingPart, DeltaToolCall, FunctionModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from agents.deltas import Delta, FinishDelta, ReasoningDelta, TextDelta, ToolCallDelta, UsageDelta
from agents.errors import ContextOverflow, ProviderError
from agents.providers.base import ModelRequest, ToolSpec, provider_for
from agents.providers.pydantic_ai import PydanticAIProvider
from agents.providers.pydantic_ai.messages import messages_of
from agents.transcript import (
    AssistantTextEntry,
    Entry,
    InputEntry,
    ReasoningEntry,
    ToolCallEntry,
    ToolResultEntry,
)
from agents.usage import Usage
from tests.fakes.model_server import ModelServer
from tests.fakes.steps import error, overflow, words

HELLO = InputEntry("user", "hello")
CLOCK = ToolSpec("clock", "What time it is.", {"type": "object", "properties": {"zone": {"type": "string"}}})


class FinishingModel(FunctionModel):
    """A FunctionModel that ends its streams with a reason, as vendors do; theirs says none."""

    finish: Any = "stop"

    @asynccontextmanager
    async def request_stream(self, *args: Any, **kwargs: Any) -> AsyncGenerator[StreamedResponse]:
        async with super().request_stream(*args, **kwargs) as response:
            response.finish_reason = self.finish
            yield response


class Script:
    """What the model says, and what it was asked."""

    def __init__(self, *items: Any, finish: str | None = "stop") -> None:
        self.items = items
        self.asked: list[ModelMessage] = []
        self.info: AgentInfo | None = None
        self.built: list[str] = []
        self.finish = finish

    async def stream(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        self.asked, self.info = messages, info
        for item in self.items:
            if isinstance(item, float):
                await asyncio.sleep(item)
            else:
                yield item

    def build(self, name: str) -> Model:
        self.built.append(name)
        model = FinishingModel(stream_function=self.stream)
        model.finish = self.finish
        return model

    @property
    def provider(self) -> PydanticAIProvider:
        return PydanticAIProvider("vendor", build=self.build)


def asking(*entries: Entry, **more: Any) -> ModelRequest:
    more = {"system": "be kind", "tools": [CLOCK], **more}
    return ModelRequest(model="m", entries=list(entries or (HELLO,)), run_id="r", **more)


async def read(provider: PydanticAIProvider, *entries: Entry, **more: Any) -> list[Delta]:
    return [delta async for delta in provider.stream(asking(*entries, **more))]


async def failure(provider: PydanticAIProvider, *entries: Entry) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await read(provider, *entries)
    return caught.value


def text_of(deltas: list[Delta]) -> str:
    return "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))


async def test_text_is_streamed_as_it_comes() -> None:
    deltas = await read(Script("one", " two").provider)
    assert deltas[:2] == [TextDelta("one"), TextDelta(" two")]
    assert isinstance(deltas[2], UsageDelta)
    assert deltas[3:] == [FinishDelta("stop")]


async def test_calls_come_in_fragments() -> None:
    script = Script(
        {0: DeltaToolCall("clock", '{"zone"', tool_call_id="a")},
        {0: DeltaToolCall(json_args=': "UTC"}')},
        {1: DeltaToolCall("clock", "{}", tool_call_id="b")},
    )
    assert [delta for delta in await read(script.provider) if not isinstance(delta, UsageDelta)] == [
        ToolCallDelta(0, "a", "clock", '{"zone"'),
        ToolCallDelta(0, arguments=': "UTC"}'),
        ToolCallDelta(1, "b", "clock", "{}"),
        FinishDelta("tool_calls"),
    ]


async def test_signed_reasoning_keeps_its_signature() -> None:
    script = Script({0: DeltaThinkingPart(content="hm")}, {0: DeltaThinkingPart(signature="sig")})
    deltas = await read(script.provider)
    assert deltas[0] == ReasoningDelta("hm", "part-0", "vendor")
    assert isinstance(deltas[1], ReasoningDelta)
    assert (deltas[1].text, deltas[1].id) == ("", "part-0")
    assert deltas[1].metadata is not None
    assert deltas[1].metadata["signature"] == "sig"


@pytest.mark.parametrize("finish", [None, "error"])
async def test_a_stream_without_a_finish_was_cut(finish: str | None) -> None:
    error = await failure(Script("half of it", finish=finish).provider)
    assert (error.code, error.retryable) == ("stream_cut", True)


@pytest.mark.parametrize("finish", ["length", "content_filter"])
async def test_the_reason_of_the_end_is_passed_on(finish: str) -> None:
    assert (await read(Script("a", finish=finish).provider))[-1] == FinishDelta(finish)


async def test_tools_and_settings_are_handed_over() -> None:
    script = Script("a")
    await read(script.provider, settings={"temperature": 0.2})
    assert script.info is not None
    tool = script.info.function_tools[0]
    assert (tool.name, tool.description, tool.parameters_json_schema) == (
        "clock",
        "What time it is.",
        CLOCK.parameters,
    )
    assert not tool.strict
    assert script.info.model_settings == {"timeout": 120.0, "max_retries": 0, "temperature": 0.2}


async def test_an_answer_can_be_held_to_a_schema() -> None:
    script = Script("{}")
    await read(script.provider, output_schema={"type": "object", "properties": {}})
    assert script.info is not None
    assert script.info.model_request_parameters.output_mode == "native"


async def test_a_model_is_built_once() -> None:
    script = Script("a")
    provider = script.provider
    await asyncio.gather(*(read(provider) for _ in range(5)))
    assert script.built == ["vendor:m"]


def test_entries_become_messages() -> None:
    signed = {"signature": "sig", "provider_name": "vendor", "canonical_system": "v"}
    request, response, answer = messages_of(
        "be kind",
        [
            InputEntry("user", [{"type": "text", "text": "look"}, {"type": "image", "url": "https://e.org/a.png"}]),
            ReasoningEntry("hm", provider="vendor", metadata=signed),
            AssistantTextEntry("I look."),
            ToolCallEntry("a", "clock", '{"zone": "Eur'),
            ToolResultEntry("a", "no such zone", is_error=True, parts=[{"type": "image", "data": "aGk="}]),
            InputEntry("user", "go on"),
        ],
        vendor="vendor",
    )  # fmt: skip
    assert [type(part) for part in request.parts] == [SystemPromptPart, UserPromptPart]
    assert request.parts[1].content == ["look", ImageUrl("https://e.org/a.png")]  # type: ignore[union-attr]
    assert list(response.parts) == [
        ThinkingPart("hm", signature="sig", provider_name="vendor"),
        TextPart("I look."),
        ToolCallPart("clock", '{"_raw":"{\\"zone\\": \\"Eur"}', "a"),
    ]
    result, image, go_on = answer.parts
    assert isinstance(result, ToolReturnPart)
    assert (result.tool_name, result.content, result.outcome) == ("clock", "no such zone", "failed")
    assert isinstance(image, UserPromptPart)
    assert image.content[1] == BinaryContent(b"hi", media_type="image/png")
    assert isinstance(go_on, UserPromptPart)
    assert go_on.content == "go on"


@pytest.mark.parametrize(
    "reasoning",
    [
        ReasoningEntry("hm", provider="another", metadata={"signature": "sig", "provider_name": "another"}),
        ReasoningEntry("hm", provider="vendor"),
        ReasoningEntry("hm"),
    ],
    ids=["of another vendor", "unsigned", "of nobody"],
)
def test_reasoning_that_may_not_go_back_stays_here(reasoning: ReasoningEntry) -> None:
    messages = messages_of("", [HELLO, reasoning, AssistantTextEntry("a"), HELLO], vendor="vendor")
    assert list(messages[1].parts) == [TextPart("a")]


def test_what_says_nothing_is_not_sent() -> None:
    entries: list[Entry] = [
        HELLO,
        AssistantTextEntry(" "),
        ToolResultEntry("a", "orphan"),
        InputEntry("user", ""),
    ]
    messages = messages_of("", entries, vendor="vendor")
    assert [part.content for message in messages for part in message.parts] == ["hello"]  # type: ignore[union-attr]


async def test_no_key_is_a_plain_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    provider, _ = provider_for("anthropic:claude-x")
    assert isinstance(provider, PydanticAIProvider)
    error = await failure(provider)
    assert (error.code, error.retryable, "ANTHROPIC_API_KEY" in error.hint) == ("no_api_key", False, True)


async def test_an_unknown_vendor_is_a_plain_word() -> None:
    error = await failure(PydanticAIProvider("nobody"))
    assert (error.code, str(error)) == ("unknown_model", "The model nobody:m cannot be used.")


@pytest.fixture
async def real(model_server: ModelServer) -> AsyncIterator[PydanticAIProvider]:
    """A model class that really speaks HTTP."""

    def build(name: str) -> Model:
        return OpenAIChatModel("m", provider=OpenAIProvider(base_url=model_server.url, api_key="key"))

    provider = PydanticAIProvider("local", build=build)
    yield provider
    await provider.close()


async def test_a_real_model_is_read(model_server: ModelServer, real: PydanticAIProvider) -> None:
    deltas = await read(real, InputEntry("user", 'say 5 | tool clock {"zone": "UTC"} | usage 70 8 50'))
    assert text_of(deltas) == words(5)
    assert (
        "".join(delta.arguments for delta in deltas if isinstance(delta, ToolCallDelta)) == '{"zone": "UTC"}'
    )
    assert deltas[-2:] == [UsageDelta(Usage(70, 8, 50)), FinishDelta("tool_calls")]
    assert "strict" not in str(model_server.requests[-1].body["tools"])


@pytest.mark.parametrize(
    "line", ["say 3 | cut", "say 3 | drop", "say 3 | fail too busy", "say 3 | raw data: {broken"]
)
async def test_what_breaks_off_can_be_asked_again(real: PydanticAIProvider, line: str) -> None:
    assert (await failure(real, InputEntry("user", line))).retryable


@pytest.mark.parametrize(
    ("status", "retryable"), [(400, False), (401, False), (404, False), (429, True), (503, True)]
)
async def test_refusals_say_whether_to_try_again(
    model_server: ModelServer, real: PydanticAIProvider, status: int, retryable: bool
) -> None:
    model_server.script([error(status, "because", code="reason", retry_after=0.5)])
    refusal = await failure(real)
    assert (refusal.status, refusal.code, refusal.retryable) == (status, "reason", retryable)
    assert (str(refusal), refusal.request_id) == (f"The model server answered {status}: because", "req_1")
    assert refusal.retry_after == 0.5
    assert len(model_server.requests) == 1


async def test_a_request_that_is_too_long_is_told_apart(
    model_server: ModelServer, real: PydanticAIProvider
) -> None:
    model_server.script([overflow()])
    assert isinstance(await failure(real), ContextOverflow)


@pytest.mark.parametrize("line", ["hang", "say 9 | hang"])
async def test_cancel_closes_the_connection_at_once(
    model_server: ModelServer, real: PydanticAIProvider, line: str
) -> None:
    task = asyncio.create_task(read(real, InputEntry("user", line)))
    await model_server.until(lambda: model_server.requests)
    await asyncio.sleep(0.1)
    cancelled_at = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    request = model_server.requests[-1]
    await model_server.until(lambda: not request.is_open, 1)
    assert request.ended_at is not None
    assert request.ended_at - cancelled_at < 0.1


async def test_leaving_the_stream_closes_the_connection(
    model_server: ModelServer, real: PydanticAIProvider
) -> None:
    stream = real.stream(asking(InputEntry("user", "say 400 @100")))
    assert await anext(stream) == TextDelta("w1")
    await stream.aclose()
    await model_server.until(lambda: not model_server.requests[-1].is_open, 0.5)


def test_each_event_loop_has_its_model(model_server: ModelServer) -> None:
    def build(name: str) -> Model:
        return OpenAIChatModel("m", provider=OpenAIProvider(base_url=model_server.url, api_key="key"))

    provider = PydanticAIProvider("local", build=build)
    for _ in range(2):
        assert text_of(asyncio.run(read(provider, InputEntry("user", "say 2")))) == "w1 w2"


def test_pydantic_ai_is_not_imported_before_it_is_needed() -> None:
    code = (
        "import sys; from agents.providers import provider_for; provider_for('anthropic:x'); "
        "print('pydantic_ai' in sys.modules)"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
