"""The way in: what a run returns, what it sends, and where it can be called from."""

import asyncio
import json
import subprocess
import sys

import pytest

from agents import Agent, Runner, UserError
from agents.events import TERMINAL, to_dict
from agents.providers.base import ToolSpec, register_provider, unregister_provider
from agents.stores import InMemorySession
from agents.testing import ScriptedProvider, call, text
from agents.tools import tool
from agents.transcript import AssistantTextEntry, InputEntry, ReasoningEntry
from agents.usage import Usage
from tests.agents.runs import events_of, kinds, scripted, types


@tool
async def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


async def test_a_run_returns_all_there_is_to_know() -> None:
    agent, _ = scripted(call("add", {"a": 1, "b": 2}), text("It is 3."), tools=[add])
    result = await Runner.run(agent, "1 + 2?")
    assert (result.output, result.turns, result.finish_reason) == ("It is 3.", 2, "stop")
    assert result.final_agent is agent
    assert result.usage == Usage(input_tokens=2, output_tokens=2)
    assert kinds(result.entries) == ["input", "tool_call", "tool_result", "assistant_text"]


async def test_the_request_holds_what_the_agent_says_of_itself() -> None:
    agent, provider = scripted("hi", tools=[add], instructions="Be kind.", settings={"temperature": 1})
    await Runner.run(agent, "hello", notes=["It is Monday."], settings={"max_tokens": 5}, user="u1")
    request = provider.requests[0]
    assert request.system == "Be kind.\n\nIt is Monday."
    assert request.tools == [ToolSpec("add", "Add two numbers.", add.parameters)]
    assert request.settings == {"temperature": 1, "max_tokens": 5}
    assert (request.entries, request.user) == ([InputEntry("user", "hello")], "u1")


async def test_instructions_are_rendered_afresh_for_every_turn() -> None:
    agent, provider = scripted(call("add", {"a": 1, "b": 2}), "3", tools=[add])
    agent.instructions = lambda run: f"{run.agent_name}, turn {run.turn}, for {run.deps}"
    await Runner.run(agent, "hello", deps="Ada")
    assert [request.system for request in provider.requests] == [
        "helper, turn 1, for Ada",
        "helper, turn 2, for Ada",
    ]


async def test_a_session_is_the_memory_between_runs() -> None:
    session = InMemorySession()
    agent, provider = scripted("Noted.", "Atlas.")
    await Runner.run(agent, "My project is Atlas.", session=session, session_id="u1")
    await Runner.run(agent, "What is it?", session=session, session_id="u1")
    assert [getattr(entry, "content", "") for entry in provider.requests[1].entries] == [
        "My project is Atlas.",
        "Noted.",
        "What is it?",
    ]
    assert len(await session.segments("u1")) == 2


async def test_a_segment_says_how_its_run_went() -> None:
    session = InMemorySession()
    agent, _ = scripted(call("add", {"a": 1, "b": 2}), text("3", reasoning="easy"), tools=[add])
    await Runner.run(agent, "hello", session=session, session_id="u1", meta={"assistant": "Maths"})
    meta = (await session.segments("u1"))[0].meta
    assert meta is not None
    timing = meta.pop("timing")
    assert timing["started_at"] < timing["finished_at"]
    assert meta.pop("reasoning_seconds").keys() == {"3"}
    assert meta == {
        "status": "completed",
        "usage": {"input_tokens": 2, "output_tokens": 2, "cache_read_tokens": 0, "cache_write_tokens": 0},
        "model": "scripted",
        "assistant": "Maths",
        "finish_reason": "stop",
        "turns": 2,
    }


async def test_events_are_json_and_the_last_one_is_the_only_end() -> None:
    agent, _ = scripted(call("add", {"a": 1, "b": 2}), text("It is 3."), tools=[add])
    events = await events_of(agent)
    told = [to_dict(event) for event in events]
    assert json.loads(json.dumps(told)) == told
    assert {event.run_id for event in events} == {events[0].run_id}
    assert [isinstance(event, TERMINAL) for event in events] == [False] * (len(events) - 1) + [True]


async def test_events_come_in_the_order_of_what_happens() -> None:
    agent, _ = scripted(call("add", {"a": 1, "b": 2}), text("It is 3."), tools=[add])
    assert types(await events_of(agent)) == [
        "run_started",
        "turn_started",
        "tool_call_streaming",
        "tool_called",
        "tool_returned",
        "turn_started",
        "text_streamed",
        "text_streamed",
        "text_streamed",
        "run_completed",
    ]


async def test_an_index_names_the_place_in_the_log() -> None:
    agent, _ = scripted(call("add", {"a": 1, "b": 2}), text("yes", reasoning="hm"), tools=[add])
    indexes = [(e.type, getattr(e, "index", None)) for e in await events_of(agent) if hasattr(e, "index")]
    assert indexes == [
        ("run_started", 0),
        ("tool_called", 1),
        ("tool_returned", 2),
        ("reasoning_streamed", 3),
        ("text_streamed", 4),
    ]


async def test_an_answer_of_nothing_is_an_answer() -> None:
    result = await Runner.run(scripted(text(""))[0], "hello")
    assert (result.output, kinds(result.entries)) == ("", ["input"])


@pytest.mark.parametrize(
    "given, expected",
    [
        ("a\r\nb\x00", [InputEntry("user", "a\nb\ufffd")]),
        (InputEntry("user", "a"), [InputEntry("user", "a")]),
        ([InputEntry("system", "s"), InputEntry("user", [{"type": "text", "text": "a\ud800"}])],
         [InputEntry("system", "s"), InputEntry("user", [{"type": "text", "text": "a\ufffd"}])]),
    ],
)  # fmt: skip
async def test_input_passes_the_border(given: str, expected: list[InputEntry]) -> None:
    agent, provider = scripted("ok")
    await Runner.run(agent, given)
    assert provider.requests[0].entries == expected


async def test_reasoning_of_another_vendor_is_not_sent() -> None:
    session = InMemorySession()
    foreign = ReasoningEntry("signed", provider="anthropic", metadata={"signature": "x"})
    own = ReasoningEntry("mine", provider="scripted")
    await session.append("u1", [InputEntry("user", "a"), foreign, own, AssistantTextEntry("b")])
    agent, provider = scripted("ok")
    await Runner.run(agent, "c", session=session, session_id="u1")
    assert provider.requests[0].entries[:3] == [InputEntry("user", "a"), own, AssistantTextEntry("b")]


async def test_a_model_may_be_named() -> None:
    provider = ScriptedProvider(["hi"])
    register_provider("testing", lambda vendor: provider)
    try:
        result = await Runner.run(Agent(name="helper", model="testing:small"), "hello")
    finally:
        unregister_provider("testing")
    assert (result.output, provider.requests[0].model) == ("hi", "small")


async def test_the_caller_may_choose_another_model() -> None:
    agent, _ = scripted()
    assert (await Runner.run(agent, "hello", model=ScriptedProvider(["other"]))).output == "other"


@pytest.mark.parametrize(
    "options",
    [
        {"session": InMemorySession()},
        {"session": InMemorySession(), "session_id": ""},
        {"session_id": "x" * 201},
        {"max_turns": 0},
        {"timeout": 0},
    ],
)
async def test_what_cannot_be_is_refused(options: dict[str, object]) -> None:
    agent, provider = scripted("hi")
    with pytest.raises(UserError):
        await Runner.run(agent, "hello", **options)  # type: ignore[arg-type]
    assert provider.requests == []


async def test_a_new_run_needs_an_input() -> None:
    with pytest.raises(UserError):
        await Runner.run(scripted("hi")[0], [])


async def test_an_agent_without_a_model_says_so() -> None:
    with pytest.raises(UserError, match="has no model"):
        await Runner.run(Agent(name="helper"), "hello")


def test_it_runs_where_no_loop_is() -> None:
    assert Runner.run_sync(scripted("hi")[0], "hello").output == "hi"


async def test_run_sync_is_refused_inside_a_loop() -> None:
    with pytest.raises(UserError):
        Runner.run_sync(scripted("hi")[0], "hello")


def test_it_runs_under_asyncio_run() -> None:
    async def main() -> str:
        async for event in Runner.stream(scripted("hi there")[0], "hello"):
            last = event
        return str(getattr(last, "output", ""))

    assert asyncio.run(main()) == "hi there"


def test_it_runs_without_django() -> None:
    program = """
import sys
from agents import Agent, CheckpointOptions, Runner, tool
from agents.stores import InMemoryCheckpointer, InMemorySession
from agents.testing import ScriptedProvider, call, text

@tool
def lookup(word: str) -> str:
    return word.upper()

agent = Agent(name="a", model=ScriptedProvider([call("lookup", {"word": "x"}), text("done")]), tools=[lookup])
kept = CheckpointOptions(InMemoryCheckpointer(), "r")
result = Runner.run_sync(agent, "hello", session=InMemorySession(), session_id="s", checkpoint=kept)
assert result.output == "done"
assert not {"django", "channels", "asgiref"} & sys.modules.keys(), "a web package was imported"
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
