"""Answers that must fit a type."""

from dataclasses import dataclass
from typing import Any

import pytest

from agents import Runner
from agents.errors import OutputInvalid, ProviderError, UserError
from agents.events import RunCompleted
from agents.stores import InMemoryCheckpointer
from agents.testing import call, cut, fails, text
from agents.tools import tool
from agents.transcript import AssistantTextEntry, InputEntry
from tests.agents.runs import AT_ONCE, events_of, kept, kinds, scripted, stored, types


@dataclass(frozen=True)
class Weather:
    city: str
    degrees: int


GOOD = '{"city": "Bern", "degrees": 7}'
BAD = '{"city": "Bern", "degrees": "cold"}'


async def test_the_output_is_of_the_type_asked_for() -> None:
    agent, provider = scripted(GOOD, output_type=Weather)
    result = await Runner.run(agent, "weather?")
    assert result.output == Weather("Bern", 7)
    assert result.entries[1] == AssistantTextEntry(GOOD)
    schema = provider.requests[0].output_schema
    assert schema is not None
    assert schema["required"] == ["city", "degrees"]


async def test_the_caller_may_ask_for_another_type() -> None:
    assert (await Runner.run(scripted("[1, 2]")[0], "?", output_type=list[int])).output == [1, 2]


@pytest.mark.parametrize("fence", ["```json\n{}\n```", "```\n{}\n```", " {} \n"])
async def test_a_fence_around_it_does_no_harm(fence: str) -> None:
    agent, _ = scripted(fence.replace("{}", GOOD), output_type=Weather)
    assert (await Runner.run(agent, "weather?")).output == Weather("Bern", 7)


async def test_events_and_checkpoint_carry_it_as_json() -> None:
    checkpointer = InMemoryCheckpointer()
    agent, _ = scripted(GOOD, output_type=Weather)
    end = (await events_of(agent, checkpoint=kept(checkpointer)))[-1]
    assert isinstance(end, RunCompleted)
    assert end.output == {"city": "Bern", "degrees": 7} == (await stored(checkpointer)).head.output


async def test_a_replay_gives_the_type_back() -> None:
    checkpointer = InMemoryCheckpointer()
    agent, _ = scripted(GOOD, output_type=Weather)
    await Runner.run(agent, "weather?", checkpoint=kept(checkpointer))
    assert (await Runner.run(agent, [], checkpoint=kept(checkpointer))).output == Weather("Bern", 7)


async def test_a_misfit_is_asked_for_again_once_with_what_is_wrong() -> None:
    checkpointer = InMemoryCheckpointer()
    agent, provider = scripted(BAD, GOOD, output_type=Weather)
    events = await events_of(agent, "weather?", checkpoint=kept(checkpointer))
    bad, prompt = provider.requests[1].entries[-2:]
    assert bad == AssistantTextEntry(BAD)
    assert isinstance(prompt, InputEntry)
    assert "degrees: Input should be a valid integer" in str(prompt.content)
    told = types(events)
    assert told.index("text_withdrawn") == told.index("turn_started", 2) + 1
    assert (await stored(checkpointer)).entries[1:] == [AssistantTextEntry(GOOD)]
    assert (await stored(checkpointer)).head.turns == 2


async def test_a_second_misfit_fails_the_run_and_is_not_stored() -> None:
    checkpointer = InMemoryCheckpointer()
    agent, provider = scripted(BAD, "no idea", output_type=Weather)
    with pytest.raises(OutputInvalid):
        await Runner.run(agent, "weather?", checkpoint=kept(checkpointer))
    snapshot = await stored(checkpointer)
    assert (kinds(snapshot.entries), snapshot.head.status, len(provider.requests)) == (["input"], "failed", 2)


async def test_a_second_misfit_is_withdrawn_before_the_run_fails() -> None:
    agent, _ = scripted(BAD, "no idea", output_type=Weather)
    told = types(await events_of(agent, "weather?"))
    assert told[-3:] == ["text_streamed", "text_withdrawn", "run_failed"]
    assert (told.count("text_withdrawn"), told.count("run_failed")) == (2, 1)


async def test_a_misfit_that_is_not_asked_for_again_is_withdrawn_too() -> None:
    limits: list[dict[str, Any]] = [{"max_turns": 1}, {"token_budget": 1}]
    for limit in limits:
        agent, _ = scripted(BAD, output_type=Weather)
        told = types(await events_of(agent, "weather?", **limit))
        assert told[-2:] == ["text_withdrawn", "run_failed"]


async def test_a_misfit_whose_replacement_never_came_is_withdrawn_too() -> None:
    agent, _ = scripted(BAD, fails(ProviderError("no")), output_type=Weather)
    told = types(await events_of(agent, "weather?"))
    assert told[-2:] == ["text_withdrawn", "run_failed"]


async def test_a_piece_of_the_repaired_answer_stays_like_any_other() -> None:
    agent, _ = scripted(BAD, cut("so"), fails(ProviderError("no")), output_type=Weather)
    told = types(await events_of(agent, "weather?", retry=AT_ONCE))
    assert told[-4:] == ["text_withdrawn", "text_streamed", "retrying", "run_failed"]


async def test_tools_may_be_used_on_the_way_to_a_repaired_answer() -> None:
    @tool
    async def measure() -> int:
        return 7

    agent, provider = scripted(BAD, text("") + call("measure"), GOOD, tools=[measure], output_type=Weather)
    result = await Runner.run(agent, "weather?")
    assert result.output == Weather("Bern", 7)
    assert kinds(result.entries) == ["input", "tool_call", "tool_result", "assistant_text"]
    assert kinds(provider.requests[2].entries) == ["input", "tool_call", "tool_result"]


async def test_guardrails_see_the_typed_output() -> None:
    seen: list[object] = []
    agent, _ = scripted(
        GOOD, output_type=Weather, output_guardrails=[lambda run, output: seen.append(output)]
    )
    await Runner.run(agent, "weather?")
    assert seen == [Weather("Bern", 7)]


async def test_what_json_cannot_carry_is_no_output_type() -> None:
    class Odd:
        pass

    with pytest.raises(UserError, match="output type"):
        await Runner.run(scripted("x")[0], "?", output_type=Odd)
