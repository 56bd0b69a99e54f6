"""One agent passes a run on to another, and one agent asks another as a tool."""

import asyncio
from typing import Any

import pytest

from agents import Agent, RunContext, Runner, UserError, tool
from agents.checkpoint import RunHead
from agents.events import HandedOver, ToolReturned
from agents.handoff import agent_graph, handoff_targets
from agents.runner import agent_tool
from agents.stores import InMemoryCheckpointer, InMemorySession
from agents.testing import ScriptedProvider, call, hangs, text
from agents.transcript import Entry, InputEntry, ToolCallEntry, ToolResultEntry
from agents.usage import Usage
from tests.agents.runs import WatchedCheckpointer, cancelled, events_of, kept, kinds, scripted, stored, types


def pair(front: list[Any], back: list[Any]) -> tuple[Agent, Agent]:
    """Two agents that can hand over to each other."""
    expert = Agent(name="Expert", model=ScriptedProvider(back), handoff_description="Knows more.")
    desk = Agent(name="Desk", model=ScriptedProvider(front), handoffs=[expert])
    expert.handoffs = [desk]
    return desk, expert


async def test_the_other_agent_goes_on_with_the_same_transcript() -> None:
    desk, expert = pair([call("transfer_to_Expert")], ["Here I am."])
    result = await Runner.run(desk, "help")
    assert (result.output, result.final_agent, result.turns) == ("Here I am.", expert, 2)
    assert kinds(result.entries) == ["input", "tool_call", "tool_result", "assistant_text"]
    provider = expert.model
    assert isinstance(provider, ScriptedProvider)
    assert [spec.name for spec in provider.requests[0].tools] == ["transfer_to_Desk"]
    assert len(provider.requests[0].entries) == 3


async def test_a_handoff_is_told_before_the_turn_of_the_other() -> None:
    desk, _ = pair([call("transfer_to_Expert")], ["Here."])
    events = await events_of(desk)
    assert types(events)[-4:] == ["handed_over", "turn_started", "text_streamed", "run_completed"]
    assert HandedOver(events[0].run_id, "Expert") in events


async def test_it_may_go_back_and_forth() -> None:
    desk, _ = pair([call("transfer_to_Expert"), "Back at the desk."], [call("transfer_to_Desk")])
    result = await Runner.run(desk, "help")
    assert (result.output, result.final_agent) == ("Back at the desk.", desk)


async def test_the_first_handoff_of_a_turn_counts() -> None:
    a, b = (Agent(name=name, model=ScriptedProvider([name])) for name in "ab")
    both = call("transfer_to_a") + call("transfer_to_b")
    desk = Agent(name="desk", model=ScriptedProvider([both]), handoffs=[a, b])
    result = await Runner.run(desk, "help")
    answers = [(e.output, e.is_error) for e in result.entries if isinstance(e, ToolResultEntry)]
    assert answers == [("a takes over.", False), ("Refused: a takes over already.", True)]
    assert result.output == "a"


async def test_a_handoff_is_pending_until_it_is_applied() -> None:
    checkpointer = WatchedCheckpointer()
    desk, _ = pair([call("transfer_to_Expert")], ["Here."])
    await Runner.run(desk, "help", checkpoint=kept(checkpointer))
    assert [(head.agent_name, head.pending_handoff) for head in checkpointer.heads] == [
        ("Desk", None),
        ("Desk", None),
        ("Desk", "Expert"),
        ("Expert", None),
        ("Expert", None),
    ]


ASKED: list[Entry] = [InputEntry("user", "help"), ToolCallEntry("c1", "transfer_to_Expert", "{}")]


async def left_behind(**head: Any) -> InMemoryCheckpointer:
    checkpointer = InMemoryCheckpointer()
    usual: dict[str, Any] = {"status": "interrupted", "turns": 1}
    entries: list[Entry] = [*ASKED, ToolResultEntry("c1", "Expert takes over.")]
    entries = entries[: head.pop("entries", 3)]
    await checkpointer.append("r", entries, RunHead(**usual | head))
    return checkpointer


async def test_a_handoff_that_was_not_applied_is_applied_on_resume() -> None:
    checkpointer = await left_behind(agent_name="Desk", pending_handoff="Expert")
    desk, _ = pair([], ["Here."])
    events = await events_of(desk, [], checkpoint=kept(checkpointer))
    assert types(events)[:3] == ["run_started", "handed_over", "turn_started"]
    assert (await stored(checkpointer)).head.agent_name == "Expert"


async def test_a_handoff_without_a_result_is_made_again_on_resume() -> None:
    checkpointer = await left_behind(agent_name="Desk", entries=2)
    desk, expert = pair([], ["Here."])
    result = await Runner.run(desk, [], checkpoint=kept(checkpointer))
    assert (result.output, result.final_agent) == ("Here.", expert)


async def test_a_resume_finds_the_agent_that_was_at_work() -> None:
    checkpointer = await left_behind(agent_name="Expert")
    desk, expert = pair([], ["Here."])
    assert (await Runner.run(desk, [], checkpoint=kept(checkpointer))).final_agent is expert


async def test_an_agent_that_is_gone_is_an_error() -> None:
    checkpointer = await left_behind(agent_name="Ghost")
    with pytest.raises(UserError, match="Ghost"):
        await Runner.run(pair([], [])[0], [], checkpoint=kept(checkpointer))
    assert checkpointer._claimed == set()


async def test_two_agents_of_one_name_are_an_error() -> None:
    one, other = Agent(name="same"), Agent(name="same")
    desk, provider = scripted("hi", handoffs=[one, Agent(name="between", handoffs=[other])])
    with pytest.raises(UserError, match="Two agents"):
        await Runner.run(desk, "help")
    assert provider.requests == []


def test_the_graph_holds_every_agent_once() -> None:
    desk, expert = pair([], [])
    assert agent_graph(desk) == {"Desk": desk, "Expert": expert}


def test_every_handoff_has_a_name_that_vendors_take() -> None:
    names = ["Billing & Co", "客服", "Billing Co", "客服二"]
    desk = Agent(name="desk", handoffs=[Agent(name=name) for name in names])
    targets = {name: target.name for name, target in handoff_targets(desk).items()}
    assert targets == {
        "transfer_to_Billing_Co": "Billing & Co",
        "transfer_to_2": "客服",
        "transfer_to_Billing_Co_3": "Billing Co",
        "transfer_to_4": "客服二",
    }


# An agent as a tool


def asking(inner: Agent, *script: Any, **options: Any) -> Agent:
    ask = agent_tool(inner, name="ask_expert", description="Ask.", **options)
    return scripted(call("ask_expert", {"task": "What is 6 × 7?"}), *script, tools=[ask])[0]


async def test_an_agent_can_be_asked_as_a_tool() -> None:
    inner, provider = scripted(text("42", usage=Usage(100, 50)))
    result = await Runner.run(asking(inner, "It is 42."), "6 × 7?")
    assert [e.output for e in result.entries if isinstance(e, ToolResultEntry)] == ["42"]
    assert provider.requests[0].entries == [InputEntry("user", "What is 6 × 7?")]
    assert result.usage == Usage(102, 52)


async def test_what_an_asked_agent_used_counts_even_if_it_fails() -> None:
    inner, _ = scripted(text("x", usage=Usage(100, 50)), output_guardrails=[lambda run, output: "no"])
    result = await Runner.run(asking(inner, "sorry"), "6 × 7?")
    (answer,) = [entry for entry in result.entries if isinstance(entry, ToolResultEntry)]
    assert (answer.is_error, answer.output) == (True, "GuardrailTripped: no")
    assert result.usage == Usage(102, 52)


async def test_an_asked_agent_that_cannot_begin_says_why() -> None:
    twice = Agent(name="expert", model=ScriptedProvider(), handoffs=[Agent(name="expert")])
    result = await Runner.run(asking(twice, "sorry"), "6 × 7?")
    (answer,) = [entry for entry in result.entries if isinstance(entry, ToolResultEntry)]
    assert answer.is_error
    assert answer.output.startswith("UserError: ")
    assert result.usage == Usage(2, 2)


async def test_the_deps_of_the_asker_reach_the_asked() -> None:
    @tool
    async def who(ctx: RunContext) -> str:
        return str(ctx.deps)

    inner, provider = scripted(call("who"), "Ada it is.", tools=[who])
    await Runner.run(asking(inner, "ok"), "who?", deps="Ada")
    assert isinstance(provider.requests[1].entries[-1], ToolResultEntry)
    assert provider.requests[1].entries[-1].output == "Ada"


async def test_a_cancel_reaches_the_asked_agent() -> None:
    inner, provider = scripted(hangs("so "))
    task = asyncio.create_task(Runner.run(asking(inner), "?", session=InMemorySession(), session_id="s"))
    await asyncio.sleep(0.02)
    assert provider.open_streams == 1
    await cancelled(task)
    assert provider.open_streams == 0


async def test_a_time_limit_reaches_the_asked_agent() -> None:
    inner, provider = scripted(hangs("so "))
    events = await events_of(asking(inner, "too slow", tool_timeout=0.02))
    assert [event.is_error for event in events if isinstance(event, ToolReturned)] == [True]
    assert provider.open_streams == 0
