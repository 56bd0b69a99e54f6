"""The loop, the reader and a strict model server: whatever ended a run, its history is taken back."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from agents import Agent, CheckpointOptions, Runner
from agents.providers.openai import OpenAIProvider, ServerConfig
from agents.stores import InMemoryCheckpointer, InMemorySession
from agents.tools import tool
from agents.transcript import drop_dangling_tool_calls
from tests.agents.runs import AT_ONCE, cancelled, kept, kinds, stored
from tests.fakes import steps
from tests.fakes.model_server import ModelServer


@tool
async def slow(word: str) -> str:
    await asyncio.sleep(0.03)
    return word.upper()


@pytest.fixture
async def agent(model_server: ModelServer) -> AsyncIterator[Agent]:
    provider = OpenAIProvider(ServerConfig(model_server.url))
    yield Agent(name="helper", model=provider, tools=[slow])
    await provider.close()


CALLS = [steps.text("I look."), steps.call("slow", {"word": "a"}), steps.call("slow", {"word": "b"})]


async def test_a_run_with_tools(model_server: ModelServer, agent: Agent) -> None:
    model_server.script([CALLS, [steps.text("Both are there.")]])
    result = await Runner.run(agent, "hello")
    assert result.output == "Both are there."
    assert kinds(result.entries)[1:4] == ["assistant_text", "tool_call", "tool_call"]


async def test_a_cut_is_asked_again_and_stored_once(model_server: ModelServer, agent: Agent) -> None:
    model_server.script([[steps.say(5), steps.cut()], [steps.text("Whole.")]])
    result = await Runner.run(agent, "hello", retry=AT_ONCE)
    assert (result.output, kinds(result.entries)) == ("Whole.", ["input", "assistant_text"])


async def test_a_stop_in_mid_text_closes_the_connection(model_server: ModelServer, agent: Agent) -> None:
    model_server.script([[steps.say(400, rate=200)]])
    task = asyncio.create_task(Runner.run(agent, "hello"))
    await model_server.until(lambda: model_server.requests and model_server.requests[0].is_open)
    await asyncio.sleep(0.1)
    await cancelled(task)
    await model_server.until(lambda: not model_server.requests[0].is_open, within=1)
    assert model_server.requests[0].closed_by == "client"


@pytest.mark.parametrize("moment", range(10))
async def test_whenever_it_is_stopped_the_next_request_is_taken(
    model_server: ModelServer, agent: Agent, moment: int
) -> None:
    """As a caller folds a stopped run: without its dangling calls, or resumed with them."""
    model_server.script([CALLS, [steps.say(5, rate=200)], [steps.text("Done.")], [steps.text("Done.")]])
    checkpointer, session = InMemoryCheckpointer(), InMemorySession()
    options: dict[str, Any] = {"checkpoint": kept(checkpointer)}
    task = asyncio.create_task(Runner.run(agent, "hello", **options))
    await asyncio.sleep(0.012 * moment)
    task.cancel()
    await asyncio.wait({task})
    if await checkpointer.load("r") is None:
        return
    stopped = (await stored(checkpointer)).entries
    await session.append("s", drop_dangling_tool_calls(stopped))
    await Runner.run(agent, "and now?", session=session, session_id="s")
    snapshot = await stored(checkpointer)
    await Runner.run(agent, [], checkpoint=CheckpointOptions(InMemoryCheckpointer(), resume_from=snapshot))
