"""What happens when a run's id is there already: continue, replay, restart, refuse."""

import logging
from datetime import UTC, datetime
from typing import Any

import pytest

from agents import Agent, CheckpointOptions, Runner, UserError
from agents.checkpoint import RunHead, RunSnapshot
from agents.errors import RunInFlight
from agents.events import RunCompleted, RunStarted
from agents.hooks import Hooks
from agents.stores import InMemoryCheckpointer, InMemorySession
from agents.testing import ScriptedProvider, call
from agents.tools import RunContext, tool
from agents.transcript import AssistantTextEntry, Entry, InputEntry, ToolCallEntry, ToolResultEntry
from agents.usage import Usage
from tests.agents.runs import (
    Crash,
    CrashingCheckpointer,
    WatchedCheckpointer,
    events_of,
    kept,
    kinds,
    scripted,
    stored,
    types,
)

ASKED = InputEntry("user", "hello")
CALL = ToolCallEntry("c1", "look", '{"word": "a"}')


async def holding(
    entries: list[Entry], checkpointer: InMemoryCheckpointer | None = None, **head: Any
) -> InMemoryCheckpointer:
    """A checkpointer that holds a run "r" as another process has left it."""
    checkpointer = checkpointer or InMemoryCheckpointer()
    usual: dict[str, Any] = {"agent_name": "helper", "status": "interrupted", "input_checked": True}
    await checkpointer.append("r", entries, RunHead(**usual | head))
    return checkpointer


class Seen(Hooks):
    def __init__(self) -> None:
        self.turns: list[int] = []
        self.ran: list[tuple[str, int, str]] = []

    async def turn_started(self, run: Any) -> None:
        self.turns.append(run.turn)

    async def tool_started(self, run: Any, call: ToolCallEntry) -> None:
        self.ran.append(("started", run.turn, call.call_id))


@tool
async def look(word: str) -> str:
    return word.upper()


@pytest.mark.parametrize("status", ["running", "interrupted", "failed"])
async def test_an_unfinished_run_goes_on(status: str) -> None:
    checkpointer = await holding([ASKED], status=status, turns=0)
    agent, provider = scripted("hi")
    result = await Runner.run(agent, "something else", checkpoint=kept(checkpointer))
    assert provider.requests[0].entries == [ASKED]
    assert kinds(result.entries) == ["input", "assistant_text"]
    assert (await stored(checkpointer)).head.status == "completed"


async def test_a_run_that_goes_on_is_not_as_old_as_it_was_found() -> None:
    began, left = datetime(2020, 1, 1, tzinfo=UTC), datetime(2020, 1, 2, tzinfo=UTC)
    checkpointer = await holding([ASKED], started_at=began, updated_at=left)
    agent, _ = scripted("hi")
    await Runner.run(agent, [], checkpoint=kept(checkpointer))
    head = (await stored(checkpointer)).head
    assert (head.started_at, head.updated_at and head.updated_at > left) == (began, True)


async def test_open_calls_run_first_under_the_turn_that_made_them() -> None:
    done: list[Entry] = [ToolCallEntry("c0", "look", '{"word": "z"}'), CALL, ToolResultEntry("c0", "Z")]
    checkpointer = await holding([ASKED, *done], turns=1, usage=Usage(5, 5), started_calls=["c0", "c1"])
    hooks, (agent, provider) = Seen(), scripted("ok", tools=[look])
    result = await Runner.run(agent, [], checkpoint=kept(checkpointer), hooks=hooks)
    assert (hooks.ran, hooks.turns) == ([("started", 1, "c1")], [2])
    assert provider.requests[0].entries[-2:] == [ToolResultEntry("c0", "Z"), result.entries[4]]
    assert (result.turns, result.usage) == (2, Usage(6, 6))


async def test_a_start_that_is_recorded_is_not_recorded_again() -> None:
    checkpointer = WatchedCheckpointer()
    await holding([ASKED, CALL], checkpointer, turns=1, started_calls=["c1"])
    checkpointer.saves.clear()
    await Runner.run(scripted("ok", tools=[look])[0], [], checkpoint=kept(checkpointer))
    assert checkpointer.saves[0] == (["tool_result"], "running")


async def test_a_start_that_is_not_recorded_is_recorded_first() -> None:
    checkpointer = WatchedCheckpointer()
    await holding([ASKED, CALL], checkpointer, turns=1)
    checkpointer.saves.clear()
    await Runner.run(scripted("ok", tools=[look])[0], [], checkpoint=kept(checkpointer))
    assert checkpointer.saves[:2] == [([], "running"), (["tool_result"], "running")]
    assert checkpointer.heads[1].started_calls == ["c1"]


async def test_a_call_keeps_its_idempotency_key() -> None:
    keys: list[str] = []

    @tool
    async def pay(ctx: RunContext) -> str:
        keys.append(ctx.idempotency_key)
        return "paid"

    checkpointer = CrashingCheckpointer(at=3, written=False)
    with pytest.raises(Crash):
        await Runner.run(scripted(call("pay"), tools=[pay])[0], "hello", checkpoint=kept(checkpointer))
    checkpointer.revive()
    await Runner.run(scripted("ok", tools=[pay])[0], [], checkpoint=kept(checkpointer))
    assert keys == ["r:call_pay", "r:call_pay"]


async def test_withdrawn_text_is_announced_right_before_its_replacement() -> None:
    checkpointer = await holding([ASKED])
    told = types(await events_of(scripted("hi")[0], [], checkpoint=kept(checkpointer)))
    assert told == ["run_started", "turn_started", "text_withdrawn", "text_streamed", "run_completed"]


async def test_nothing_is_withdrawn_where_the_run_stopped_in_its_tools() -> None:
    checkpointer = await holding([ASKED, CALL], turns=1)
    told = types(await events_of(scripted("hi", tools=[look])[0], [], checkpoint=kept(checkpointer)))
    assert "text_withdrawn" not in told


async def test_the_history_of_the_session_comes_before_the_run() -> None:
    session = InMemorySession()
    await session.append("s", [InputEntry("user", "before"), AssistantTextEntry("yes")])
    checkpointer = await holding([ASKED], session_id="s")
    agent, provider = scripted("hi")
    await Runner.run(agent, [], session=session, session_id="s", checkpoint=kept(checkpointer))
    assert [getattr(e, "content", "") for e in provider.requests[0].entries] == ["before", "yes", "hello"]


async def test_a_run_that_has_its_answer_only_completes() -> None:
    checkpointer = await holding([ASKED, AssistantTextEntry("hi")], done=True, output="hi", turns=1)
    agent, provider = scripted()
    session = InMemorySession()
    events = await events_of(agent, [], session=session, session_id="s", checkpoint=kept(checkpointer))
    assert types(events) == ["run_started", "run_completed"]
    assert isinstance(events[-1], RunCompleted)
    assert (events[-1].output, events[-1].replayed, provider.requests) == ("hi", False, [])
    assert kinds(await session.load("s")) == ["input", "assistant_text"]


# Replay


class Forbidden(Hooks):
    async def run_started(self, run: Any, *, resumed: bool) -> None:
        raise AssertionError("a hook ran")

    async def run_finished(self, run: Any, status: Any, error: Any) -> None:
        raise AssertionError("a hook ran")


def _never(*_: Any) -> str:
    raise AssertionError("a guardrail ran")


async def completed_once(session: InMemorySession) -> InMemoryCheckpointer:
    checkpointer = InMemoryCheckpointer()
    agent, _ = scripted("hi")
    await Runner.run(agent, "hello", session=session, session_id="s", checkpoint=kept(checkpointer))
    return checkpointer


async def test_a_replay_touches_nothing_and_tells_the_end() -> None:
    session = InMemorySession()
    checkpointer = await completed_once(session)
    hooks = Forbidden()
    agent, provider = scripted(
        hooks=hooks, input_guardrails=[_never], output_guardrails=[_never], instructions=_never
    )
    events = await events_of(
        agent, "other", session=session, session_id="s", checkpoint=kept(checkpointer), hooks=hooks
    )
    assert types(events) == ["run_started", "run_completed"]
    assert provider.requests == []
    assert isinstance(events[1], RunCompleted)
    assert (events[1].output, events[1].finish_reason, events[1].replayed) == ("hi", None, True)
    assert events[1].usage["output_tokens"] == 1
    assert len(await session.segments("s")) == 1


async def test_a_replay_heals_the_gap_between_completed_and_the_session() -> None:
    session, lost = InMemorySession(), InMemorySession()
    checkpointer = await completed_once(lost)
    options = kept(checkpointer, delete_on_success=True)
    await Runner.run(scripted()[0], [], session=session, session_id="s", checkpoint=options)
    segment = (await session.segments("s"))[0]
    assert (segment.run_id, kinds(segment.entries)) == ("r", ["input", "assistant_text"])
    assert segment.meta is not None
    assert segment.meta["status"] == "completed"
    assert await checkpointer.load("r") is None


async def test_a_replay_goes_on_under_a_renamed_agent(caplog: pytest.LogCaptureFixture) -> None:
    checkpointer = await completed_once(InMemorySession())
    renamed = Agent(name="other", model=ScriptedProvider())
    with caplog.at_level(logging.WARNING):
        result = await Runner.run(renamed, [], checkpoint=kept(checkpointer))
    assert (result.output, result.final_agent) == ("hi", renamed)
    assert "helper" in caplog.text


async def test_a_run_whose_checkpoint_was_deleted_is_told_from_its_session() -> None:
    session = InMemorySession()
    checkpointer = await completed_once(session)
    await checkpointer.delete("r")
    agent, provider = scripted()
    options: dict[str, Any] = {"session": session, "session_id": "s", "checkpoint": kept(checkpointer)}
    result = await Runner.run(agent, "hello", **options)
    assert (result.output, result.usage, provider.requests) == ("hi", Usage(1, 1), [])
    assert len(await session.segments("s")) == 1


# The table


async def test_resume_without_a_run_starts_one() -> None:
    assert (
        await Runner.run(scripted("hi")[0], "hello", checkpoint=kept(InMemoryCheckpointer()))
    ).output == "hi"


async def test_resume_only_without_a_run_is_refused() -> None:
    checkpointer = InMemoryCheckpointer()
    with pytest.raises(UserError, match="no run"):
        await Runner.run(scripted()[0], [], checkpoint=kept(checkpointer, if_run_exists="resume_only"))
    assert checkpointer._claimed == set()


@pytest.mark.parametrize("status", ["interrupted", "completed"])
async def test_fail_refuses_a_run_that_is_there(status: str) -> None:
    checkpointer = await holding([ASKED], status=status)
    with pytest.raises(UserError, match="exists"):
        await Runner.run(scripted()[0], "hello", checkpoint=kept(checkpointer, if_run_exists="fail"))


STALE = RunSnapshot.from_parts("r", [], RunHead(agent_name="helper"))
REFUSED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "fail": ({"if_run_exists": "fail"}, {}),
    "no input": ({"if_run_exists": "restart"}, {}),
    "another session": ({}, {"session": InMemorySession(), "session_id": "yours"}),
    "a stale snapshot": ({"resume_from": STALE}, {}),
    "an agent that is gone": ({}, {}),
}


@pytest.mark.parametrize("status", ["failed", "interrupted"])
@pytest.mark.parametrize("why", REFUSED)
async def test_a_call_that_is_refused_leaves_the_run_as_it_is(why: str, status: str) -> None:
    name = "gone" if why == "an agent that is gone" else "helper"
    checkpointer = await holding(
        [ASKED], status=status, error={"type": "E"}, session_id="mine", agent_name=name
    )
    before = await stored(checkpointer)
    keeping, options = REFUSED[why]
    with pytest.raises(UserError):
        await Runner.run(scripted()[0], [], checkpoint=kept(checkpointer, **keeping), **options)
    assert await stored(checkpointer) == before


@pytest.mark.parametrize("policy", ["fail", "restart"])
async def test_fail_and_restart_without_a_run_start_one(policy: Any) -> None:
    options = kept(InMemoryCheckpointer(), if_run_exists=policy)
    assert (await Runner.run(scripted("hi")[0], "hello", checkpoint=options)).output == "hi"


@pytest.mark.parametrize("status", ["interrupted", "completed"])
async def test_restart_begins_again(status: str) -> None:
    checkpointer = await holding([ASKED, CALL], status=status, turns=7)
    result = await Runner.run(
        scripted("hi")[0], "anew", checkpoint=kept(checkpointer, if_run_exists="restart")
    )
    assert (result.turns, result.entries[0]) == (1, InputEntry("user", "anew"))
    assert kinds((await stored(checkpointer)).entries) == ["input", "assistant_text"]


async def test_restart_brings_the_new_answer_into_the_session() -> None:
    session = InMemorySession()
    checkpointer = await completed_once(session)
    agent, provider = scripted("better")
    options = kept(checkpointer, if_run_exists="restart")
    await Runner.run(agent, "hello", session=session, session_id="s", checkpoint=options)
    segments = await session.segments("s")
    assert [(s.run_id, s.entries[-1]) for s in segments] == [("r", AssistantTextEntry("better"))]
    assert provider.requests[0].entries == [ASKED]


async def test_restart_of_an_earlier_run_changes_nothing() -> None:
    session = InMemorySession()
    checkpointer = await completed_once(session)
    await session.append("s", [InputEntry("user", "later")], run_id="r2")
    before = (await session.segments("s"), await checkpointer.load("r"))
    options = kept(checkpointer, if_run_exists="restart")
    with pytest.raises(UserError, match="gone on"):
        await Runner.run(scripted()[0], "hello", session=session, session_id="s", checkpoint=options)
    assert (await session.segments("s"), await checkpointer.load("r")) == before


class InSteps(InMemoryCheckpointer):
    """Has no restart in one step."""

    def can_restart(self, session: Any) -> bool:
        return False


@pytest.mark.parametrize("kind", [InMemoryCheckpointer, InSteps])
async def test_restart_beside_another_unfinished_run_changes_nothing(
    kind: type[InMemoryCheckpointer],
) -> None:
    checkpointer, session = kind(), InMemorySession()
    options: dict[str, Any] = {"session": session, "session_id": "s"}
    await Runner.run(scripted("hi")[0], "hello", checkpoint=kept(checkpointer), **options)
    rival = RunHead(agent_name="helper", status="interrupted", session_id="s")
    await checkpointer.append("rival", [ASKED], rival)
    before = (await session.segments("s"), await checkpointer.load("r"))
    agent, provider = scripted("never")
    with pytest.raises(RunInFlight, match="rival"):
        await Runner.run(agent, "anew", checkpoint=kept(checkpointer, if_run_exists="restart"), **options)
    assert (await session.segments("s"), await checkpointer.load("r")) == before
    assert (provider.requests, checkpointer._claimed) == ([], set())


@pytest.mark.parametrize("kind", [InMemoryCheckpointer, InSteps])
async def test_restart_keeps_what_is_before_it_in_the_session(kind: type[InMemoryCheckpointer]) -> None:
    checkpointer, session = kind(), InMemorySession()
    await session.append("s", [ASKED], run_id="first")
    options: dict[str, Any] = {"session": session, "session_id": "s"}
    await Runner.run(scripted("hi")[0], "hello", checkpoint=kept(checkpointer), **options)
    again = kept(checkpointer, if_run_exists="restart")
    await Runner.run(scripted("better")[0], "anew", checkpoint=again, **options)
    anew = [InputEntry("user", "anew"), AssistantTextEntry("better")]
    assert [(s.run_id, s.entries) for s in await session.segments("s")] == [("first", [ASKED]), ("r", anew)]


@pytest.mark.parametrize("policy", ["resume", "restart", "resume_only"])
@pytest.mark.parametrize("status", ["interrupted", "completed"])
async def test_a_run_of_another_session_is_refused(policy: Any, status: str) -> None:
    checkpointer = await holding([ASKED], session_id="mine", status=status)
    with pytest.raises(UserError, match="belongs to"):
        await Runner.run(
            scripted()[0],
            "hello",
            session=InMemorySession(),
            session_id="yours",
            checkpoint=kept(checkpointer, if_run_exists=policy),
        )
    assert (await stored(checkpointer)).entries == [ASKED]


async def test_a_run_that_somebody_runs_is_refused() -> None:
    checkpointer = await holding([ASKED])
    await checkpointer.acquire("r")
    with pytest.raises(RunInFlight):
        await Runner.run(scripted()[0], [], checkpoint=kept(checkpointer))
    assert checkpointer._claimed == {"r"}


async def test_a_snapshot_in_hand_can_go_on_without_a_checkpointer() -> None:
    snapshot = RunSnapshot.from_parts("r", [ASKED], RunHead(agent_name="helper", status="interrupted"))
    events = await events_of(scripted("hi")[0], [], checkpoint=CheckpointOptions(resume_from=snapshot))
    assert isinstance(events[0], RunStarted)
    assert (events[0].run_id, events[0].resumed, types(events)[-1]) == ("r", True, "run_completed")


async def test_a_snapshot_in_hand_is_stored_where_it_is_not_known() -> None:
    snapshot = RunSnapshot.from_parts("r", [ASKED], RunHead(agent_name="helper", status="interrupted"))
    checkpointer = WatchedCheckpointer()
    await Runner.run(scripted("hi")[0], [], checkpoint=CheckpointOptions(checkpointer, resume_from=snapshot))
    assert checkpointer.saves[0] == (["input"], "running")
    assert kinds((await stored(checkpointer)).entries) == ["input", "assistant_text"]


async def test_a_snapshot_that_is_out_of_date_is_refused() -> None:
    snapshot = RunSnapshot.from_parts("r", [ASKED], RunHead(agent_name="helper", status="interrupted"))
    checkpointer = await holding([ASKED, AssistantTextEntry("more")])
    with pytest.raises(UserError, match="moved on"):
        await Runner.run(scripted()[0], [], checkpoint=CheckpointOptions(checkpointer, resume_from=snapshot))


async def test_the_model_is_told_of_calls_that_a_stop_cut_off() -> None:
    session = InMemorySession()
    dropped = [
        {"call_id": "c1", "name": "pay", "arguments": '{"amount": 5}', "started": True},
        {"call_id": "c2", "name": "look", "arguments": "{}", "started": False},
    ]
    meta = {"status": "stopped", "dropped_calls": dropped}
    await session.append("s", [ASKED], run_id="stopped", meta=meta)
    agent, provider = scripted("ok", instructions="Be kind.")
    await Runner.run(agent, "and now?", session=session, session_id="s")
    system = provider.requests[0].system
    assert system.startswith("Be kind.\n\n")
    assert 'pay with {"amount": 5}' in system
    assert "may have taken effect" in system
    assert "look" not in system
    assert kinds(await session.load("s")) == ["input", "input", "assistant_text"]
