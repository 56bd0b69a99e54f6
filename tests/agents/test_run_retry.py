"""When the provider breaks off: asked again or not, and the text of the vain attempt withdrawn."""

import pytest

from agents import Runner
from agents.deltas import FinishDelta, TextDelta
from agents.errors import BudgetExceeded, ContextOverflow, ProviderError, TurnLimitExceeded
from agents.events import Retrying, RunFailed, TextStreamed
from agents.runtime.retry import RetryPolicy
from agents.stores import InMemoryCheckpointer, InMemorySession
from agents.testing import Turn, call, cut, fails, text
from agents.tools import tool
from agents.transcript import AssistantTextEntry
from agents.usage import Usage
from tests.agents.runs import AT_ONCE, events_of, kept, kinds, scripted, stored, types

BUSY = ProviderError("busy", status=503, request_id="req-1", retryable=True)


@tool
async def look(word: str = "") -> str:
    return "found"


async def test_text_of_a_vain_attempt_is_withdrawn_right_before_its_replacement() -> None:
    agent, _ = scripted(fails(BUSY, after="It is"), "It is late.")
    events = await events_of(agent, retry=AT_ONCE)
    assert types(events) == [
        "run_started",
        "turn_started",
        "text_streamed",
        "text_streamed",
        "retrying",
        "text_withdrawn",
        "text_streamed",
        "text_streamed",
        "text_streamed",
        "run_completed",
    ]
    assert {event.index for event in events if isinstance(event, TextStreamed)} == {1}


async def test_what_was_withdrawn_is_never_stored() -> None:
    checkpointer = InMemoryCheckpointer()
    agent, _ = scripted(fails(BUSY, after="It is"), "It is late.")
    await Runner.run(agent, "hello", checkpoint=kept(checkpointer), retry=AT_ONCE)
    assert (await stored(checkpointer)).entries[1:] == [AssistantTextEntry("It is late.")]


async def test_an_attempt_that_showed_nothing_withdraws_nothing() -> None:
    events = await events_of(scripted(fails(BUSY), "late")[0], retry=AT_ONCE)
    assert types(events) == ["run_started", "turn_started", "retrying", "text_streamed", "run_completed"]


async def test_shown_text_stays_until_something_replaces_it() -> None:
    script = [fails(BUSY, after="It is"), fails(BUSY), fails(BUSY)]
    events = await events_of(scripted(*script)[0], retry=RetryPolicy(attempts=3, first_wait=0))
    assert "text_withdrawn" not in types(events)
    assert types(events)[-1] == "run_failed"


async def test_an_answer_without_words_withdraws_too() -> None:
    events = await events_of(scripted(fails(BUSY, after="It"), text(""))[0], retry=AT_ONCE)
    assert types(events)[-2:] == ["text_withdrawn", "run_completed"]


async def test_a_stream_without_an_end_is_asked_for_again() -> None:
    agent, provider = scripted(cut("It is"), "It is late.")
    assert (await Runner.run(agent, "hello", retry=AT_ONCE)).output == "It is late."
    assert len(provider.requests) == 2


async def test_a_cut_in_the_arguments_of_a_call_runs_nothing() -> None:
    half = Turn(call("look", '{"word": "lo').steps, finish=None)
    agent, _ = scripted(half, "ok", tools=[look])
    result = await Runner.run(agent, "hello", retry=AT_ONCE)
    assert kinds(result.entries) == ["input", "assistant_text"]


async def test_a_retry_says_which_and_why() -> None:
    events = await events_of(scripted(fails(BUSY), "late")[0], retry=RetryPolicy(attempts=5, first_wait=0))
    assert [(e.attempt, e.of, e.reason) for e in events if isinstance(e, Retrying)] == [(2, 5, "busy")]


@pytest.mark.parametrize("error", [BUSY, ConnectionResetError("reset"), TimeoutError("slow")])
async def test_connection_trouble_leaves_a_run_that_can_go_on(error: Exception) -> None:
    checkpointer = InMemoryCheckpointer()
    agent, provider = scripted(*[fails(error)] * 4)
    with pytest.raises(type(error)):
        await Runner.run(agent, "hello", checkpoint=kept(checkpointer), retry=AT_ONCE)
    assert (len(provider.requests), (await stored(checkpointer)).head.status) == (4, "interrupted")


@pytest.mark.parametrize(
    "error",
    [
        ProviderError("no such model", status=404),
        ContextOverflow("too long", status=400),
        ProviderError("come back tomorrow", retryable=True, retry_after=3600),
    ],
)
async def test_what_would_fail_again_is_not_asked_again(error: ProviderError) -> None:
    agent, provider = scripted(fails(error))
    events = await events_of(agent, retry=AT_ONCE)
    assert len(provider.requests) == 1
    assert isinstance(events[-1], RunFailed)


async def test_a_failure_is_told_in_full_and_kept() -> None:
    checkpointer = InMemoryCheckpointer()
    error = ProviderError("bad key", hint="Set OPENAI_API_KEY.", status=401, request_id="req-1")
    events = await events_of(scripted(fails(error))[0], checkpoint=kept(checkpointer))
    told = {
        "type": "ProviderError",
        "message": "bad key",
        "hint": "Set OPENAI_API_KEY.",
        "status": 401,
        "request_id": "req-1",
    }
    assert events[-1] == RunFailed("r", "failed", told, False)
    head = (await stored(checkpointer)).head
    assert (head.status, head.error) == ("failed", told)


async def test_a_fault_of_the_code_fails_the_run_and_is_raised() -> None:
    checkpointer = InMemoryCheckpointer()
    with pytest.raises(AssertionError, match="script is over"):
        await Runner.run(scripted()[0], "hello", checkpoint=kept(checkpointer))
    assert (await stored(checkpointer)).head.status == "failed"


def test_waits_double_and_have_an_end() -> None:
    policy = RetryPolicy(attempts=9, first_wait=1, longest_wait=8)
    waits = [policy.wait(attempt, BUSY) or 0 for attempt in range(1, 7)]
    assert all(full / 2 <= wait <= full for wait, full in zip(waits, [1, 2, 4, 8, 8, 8], strict=True))
    assert policy.wait(9, BUSY) is None


def test_a_server_that_names_a_wait_gets_it() -> None:
    assert RetryPolicy().wait(1, ProviderError("slow down", retryable=True, retry_after=7)) == 7


# Usage and limits


async def test_usage_counts_every_attempt() -> None:
    spent = Turn((TextDelta("It"), BUSY), finish=None)
    agent, _ = scripted(spent, text("late", usage=Usage(10, 5)), instructions="x" * 400)
    result = await Runner.run(agent, "hello", retry=AT_ONCE)
    assert result.usage.output_tokens == 5 + 0
    assert 110 <= result.usage.input_tokens <= 130


async def test_a_provider_that_counts_nothing_is_estimated() -> None:
    session = InMemorySession()
    uncounted = Turn((TextDelta("word " * 100), FinishDelta("stop")), finish=None)
    agent, _ = scripted(uncounted, instructions="x" * 400)
    result = await Runner.run(agent, "hello", session=session, session_id="s")
    assert 100 <= result.usage.input_tokens <= 120
    assert 100 <= result.usage.output_tokens <= 150
    meta = (await session.segments("s"))[0].meta
    assert meta is not None
    assert meta["usage_estimated"] is True


async def test_the_turn_limit_interrupts_and_a_larger_one_goes_on() -> None:
    checkpointer = InMemoryCheckpointer()
    agent, _ = scripted(call("look"), call("look"), "ok", tools=[look])
    with pytest.raises(TurnLimitExceeded):
        await Runner.run(agent, "hello", checkpoint=kept(checkpointer), max_turns=2)
    assert (await stored(checkpointer)).head.status == "interrupted"
    result = await Runner.run(agent, [], checkpoint=kept(checkpointer), max_turns=3)
    assert (result.output, result.turns) == ("ok", 3)


async def test_a_final_answer_within_the_turn_limit_is_fine() -> None:
    assert (await Runner.run(scripted("ok")[0], "hello", max_turns=1)).output == "ok"


async def test_the_token_budget_ends_a_run_that_wants_more() -> None:
    agent, provider = scripted(call("look"), call("look"), "ok", tools=[look])
    with pytest.raises(BudgetExceeded):
        await Runner.run(agent, "hello", token_budget=4)
    assert len(provider.requests) == 2


async def test_the_tool_budget_runs_no_call_beyond_it() -> None:
    checkpointer = InMemoryCheckpointer()
    agent, _ = scripted(call("look"), call("look") + call("look"), "ok", tools=[look])
    with pytest.raises(BudgetExceeded):
        await Runner.run(agent, "hello", checkpoint=kept(checkpointer), tool_budget=2)
    snapshot = await stored(checkpointer)
    assert kinds(snapshot.entries) == ["input", "tool_call", "tool_result", "tool_call", "tool_call"]
    assert (snapshot.head.status, snapshot.head.started_calls) == ("interrupted", [])
