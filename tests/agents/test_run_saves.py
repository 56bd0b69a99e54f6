"""When a run is saved, what a save holds, and that no crash between two of them loses or doubles anything."""

import asyncio
from typing import Any

import pytest

from agents import Agent, CheckpointOptions, Runner
from agents.errors import LeaseLost
from agents.events import ToolCalled, ToolReturned
from agents.stores import InMemoryCheckpointer, InMemorySession
from agents.testing import ScriptedProvider, call, calls, hangs, text
from agents.tools import Tool, tool
from agents.transcript import InputEntry, ToolResultEntry
from tests.agents.runs import (
    Crash,
    CrashingCheckpointer,
    MortalSession,
    WatchedCheckpointer,
    events_of,
    kept,
    kinds,
    scripted,
    stored,
)


@tool
async def look(word: str) -> str:
    return word.upper()


TWO_CALLS = calls(("look", {"word": "a"}), ("look", {"word": "b"}))


async def test_a_run_is_saved_step_by_step() -> None:
    checkpointer, session = WatchedCheckpointer(), InMemorySession()
    agent, _ = scripted(text("I look.", reasoning="hm") + TWO_CALLS, "Both.", tools=[look])
    options = kept(checkpointer, delete_on_success=True)
    await Runner.run(agent, "hello", session=session, session_id="s", checkpoint=options)
    assert checkpointer.saves == [
        (["input"], "running"),
        (["reasoning", "assistant_text", "tool_call", "tool_call"], "running"),
        (["tool_result"], "running"),
        (["tool_result"], "running"),
        (["assistant_text"], "done"),
        ([], "completed"),
    ]
    assert (checkpointer.deletes, len(await session.segments("s"))) == (["r"], 1)


async def test_the_input_is_stored_before_the_model_is_asked() -> None:
    checkpointer = InMemoryCheckpointer()

    def answer(_: object) -> Any:
        assert checkpointer._runs["r"].entries
        return text("ok")

    await Runner.run(scripted(answer)[0], "hello", checkpoint=kept(checkpointer))
    assert (await stored(checkpointer)).entries[0] == InputEntry("user", "hello")


async def test_nobody_is_told_of_a_call_or_result_that_is_not_stored() -> None:
    checkpointer = InMemoryCheckpointer()
    agent, _ = scripted(TWO_CALLS, "Both.", tools=[look])
    async for event in Runner.stream(agent, "hello", checkpoint=kept(checkpointer)):
        if isinstance(event, ToolCalled | ToolReturned):
            entry = (await stored(checkpointer)).entries[event.index]
            assert getattr(entry, "call_id", None) == event.call_id


async def test_starts_are_recorded_with_the_turn_for_those_that_start_at_once() -> None:
    checkpointer = WatchedCheckpointer()
    alone = Tool("alone", "", {}, look.invoke, parallel=False)
    script = calls(("look", {"word": "a"}), ("look", {"word": "b"}), ("alone", {"word": "c"}))
    agent, _ = scripted(script, "ok", tools=[look, alone])
    events = await events_of(agent, checkpoint=kept(checkpointer))
    assert checkpointer.saves[1:6] == [
        (["tool_call", "tool_call", "tool_call"], "running"),
        (["tool_result"], "running"),
        (["tool_result"], "running"),
        ([], "running"),
        (["tool_result"], "running"),
    ]
    assert checkpointer.heads[1].started_calls == ["call_1", "call_2"]
    assert checkpointer.heads[4].started_calls == ["call_1", "call_2", "call_3"]
    told = [(event.call_id, event.started) for event in events if isinstance(event, ToolCalled)]
    assert told == [("call_1", True), ("call_2", True), ("call_3", False), ("call_3", True)]


async def test_the_head_speaks_of_the_newest_turn_only() -> None:
    checkpointer = WatchedCheckpointer()
    agent, _ = scripted(call("look", {"word": "a"}), call("look", {"word": "b"}), "ok", tools=[look])
    await Runner.run(agent, "hello", checkpoint=kept(checkpointer))
    assert [head.started_calls for head in checkpointer.heads[1:5]] == [
        ["call_look"], ["call_look"], ["call_look-2"], ["call_look-2"],
    ]  # fmt: skip
    assert checkpointer.heads[4].tool_seconds.keys() == {"call_look-2"}
    assert [list(head.call_started_at) for head in checkpointer.heads[1:]] == [
        head.started_calls for head in checkpointer.heads[1:]
    ]
    results = [e for e in (await stored(checkpointer)).entries if isinstance(e, ToolResultEntry)]
    assert all(result.seconds is not None for result in results)


@pytest.mark.parametrize("length", [1, 60])
async def test_a_save_holds_only_what_is_new(length: int) -> None:
    checkpointer = WatchedCheckpointer()
    script = [call("look", {"word": "a"}, call_id=f"c{n}") for n in range(length)]
    await Runner.run(
        scripted(*script, "ok", tools=[look])[0], "hello", max_turns=100, checkpoint=kept(checkpointer)
    )
    assert max(len(entries) for entries, _ in checkpointer.saves) == 1
    assert max(len(head.started_calls) + len(head.tool_seconds) for head in checkpointer.heads) == 2


# Crashes


def tool_with_effects(effects: list[str]) -> Tool:
    @tool
    async def pay(amount: int) -> str:
        effects.append(f"paid {amount}")
        return f"paid {amount}"

    return pay


SAVES = 6


def story(effects: list[str]) -> tuple[Agent, ScriptedProvider]:
    script = [text("I pay.") + calls(("pay", {"amount": 1}), ("pay", {"amount": 2})), text("Both are paid.")]
    return scripted(*script, tools=[tool_with_effects(effects)])


WHOLE_STORY = [
    "input",
    "assistant_text",
    "tool_call",
    "tool_call",
    "tool_result",
    "tool_result",
    "assistant_text",
]


async def crash_and_resume(at: int, *, written: bool) -> tuple[Any, list[str], list[ScriptedProvider], Any]:
    checkpointer = CrashingCheckpointer(at=at, written=written)
    session, effects = MortalSession(checkpointer), list[str]()
    options: dict[str, Any] = {"session": session, "session_id": "s", "checkpoint": kept(checkpointer)}
    agent, first = story(effects)
    with pytest.raises(Crash):
        await Runner.run(agent, "Pay both.", **options)
    checkpointer.revive()
    again, second = story(effects)
    if len(first.requests) and at > (1 if written else 2):
        second._script.pop(0)  # the model's first answer is stored, so it goes on with the second
    result = await Runner.run(again, "Pay both.", **options)
    return result, effects, [first, second], await session.segments("s")


@pytest.mark.parametrize("written", [True, False])
@pytest.mark.parametrize("at", range(1, SAVES + 1))
async def test_a_crash_at_any_save_loses_and_doubles_nothing(at: int, written: bool) -> None:
    result, effects, _, segments = await crash_and_resume(at, written=written)
    assert kinds(result.entries) == WHOLE_STORY
    assert result.output == "Both are paid."
    assert [(segment.run_id, segment.entries) for segment in segments] == [("r", result.entries)]
    assert set(effects) == {"paid 1", "paid 2"}
    assert sorted(entry.output for entry in result.entries if isinstance(entry, ToolResultEntry)) == [
        "paid 1",
        "paid 2",
    ]


@pytest.mark.parametrize(
    "at, written, asked",
    [(5, True, [2, 0]), (6, False, [2, 0]), (6, True, [2, 0]), (5, False, [2, 1]), (3, True, [1, 1])],
)
async def test_after_the_final_text_the_model_is_not_asked_again(
    at: int, written: bool, asked: list[int]
) -> None:
    _, _, providers, _ = await crash_and_resume(at, written=written)
    assert [len(provider.requests) for provider in providers] == asked


@pytest.mark.parametrize(
    "at, written, paid",
    [(2, False, 2), (2, True, 2), (3, True, 3), (3, False, 4), (4, False, 3), (4, True, 2), (5, True, 2)],
)
async def test_a_call_runs_again_only_until_its_result_is_stored(at: int, written: bool, paid: int) -> None:
    """Both tools run side by side: at the save of the first result the second one has had its effect too."""
    _, effects, _, _ = await crash_and_resume(at, written=written)
    assert len(effects) == paid


async def test_a_save_that_fails_ends_the_run_with_its_error() -> None:
    class Full(InMemoryCheckpointer):
        saves = 0

        async def append(self, run_id: str, entries: Any, head: Any) -> None:
            self.saves += 1
            if self.saves > 1:
                raise OSError("the disk is full")
            await super().append(run_id, entries, head)

    checkpointer = Full()
    with pytest.raises(OSError, match="the disk is full"):
        await Runner.run(story([])[0], "hello", checkpoint=kept(checkpointer))
    assert checkpointer.saves == 3  # the input, the turn, and the vain attempt to store how it ended


async def test_a_first_save_that_fails_is_the_end_before_the_beginning() -> None:
    checkpointer = CrashingCheckpointer(at=1, written=False)
    agent, provider = story([])
    with pytest.raises(Crash):
        await events_of(agent, checkpoint=kept(checkpointer))
    assert (provider.requests, checkpointer._claimed) == ([], set())


async def test_who_lost_the_lease_writes_nothing_more() -> None:
    class Taken(WatchedCheckpointer):
        async def append(self, run_id: str, entries: Any, head: Any) -> None:
            if len(self.saves) == 2:
                self.saves.append(([], "refused"))
                raise LeaseLost("another owner has it")
            await super().append(run_id, entries, head)

    checkpointer = Taken()
    with pytest.raises(LeaseLost):
        await Runner.run(story([])[0], "hello", checkpoint=kept(checkpointer))
    assert [status for _, status in checkpointer.saves] == ["running", "running", "refused"]


async def test_a_lease_lost_between_saves_ends_the_run_at_once() -> None:
    class Beating(WatchedCheckpointer):
        heartbeat_every = 0.01

        async def beat(self, run_id: str) -> None:
            raise LeaseLost("another owner has it")

    checkpointer, forever = Beating(), asyncio.Event()
    agent, provider = scripted(lambda _: text("so ") + hangs(until=forever))
    with pytest.raises(LeaseLost):
        await asyncio.wait_for(Runner.run(agent, "hello", checkpoint=kept(checkpointer)), 5)
    assert (len(checkpointer.saves), provider.open_streams) == (1, 0)


async def test_two_callers_of_one_run_do_not_both_run_it() -> None:
    checkpointer = InMemoryCheckpointer()
    agent, provider = scripted("one", "two")
    first, second = await asyncio.gather(
        Runner.run(agent, "hello", checkpoint=kept(checkpointer)),
        Runner.run(agent, "hello", checkpoint=kept(checkpointer)),
        return_exceptions=True,
    )
    assert {type(first).__name__, type(second).__name__} == {"RunResult", "RunInFlight"}
    assert len(provider.requests) == 1


async def test_a_second_unfinished_run_in_a_session_names_the_first() -> None:
    checkpointer, session = InMemoryCheckpointer(), InMemorySession()
    options: dict[str, Any] = {"session": session, "session_id": "s"}
    agent, _ = scripted(text("a") + hangs())
    task = asyncio.create_task(Runner.run(agent, "hello", checkpoint=kept(checkpointer, "first"), **options))
    await asyncio.sleep(0.01)
    with pytest.raises(Exception, match="first") as refused:
        await Runner.run(scripted("b")[0], "hello", checkpoint=kept(checkpointer, "second"), **options)
    assert type(refused.value).__name__ == "RunInFlight"
    task.cancel()
    await asyncio.wait({task})
    assert await checkpointer.load("second") is None


async def test_a_run_without_a_checkpoint_is_appended_to_its_session() -> None:
    session = InMemorySession()
    await Runner.run(scripted("hi")[0], "hello", session=session, session_id="s")
    assert kinds(await session.load("s")) == ["input", "assistant_text"]


async def test_stores_that_finish_in_one_step_get_one_step() -> None:
    class Finishing(WatchedCheckpointer):
        finished: list[Any] = []

        def can_finish(self, session: Any) -> bool:
            return True

        async def finish(self, run_id: str, entries: Any, head: Any, **how: Any) -> None:
            self.finished.append(
                (kinds(entries), head.status, head.done, how["delete"], how["meta"]["status"])
            )

    checkpointer = Finishing()
    options = CheckpointOptions(checkpointer, "r", delete_on_success=True)
    await Runner.run(
        scripted("hi")[0], "hello", session=InMemorySession(), session_id="s", checkpoint=options
    )
    assert checkpointer.saves == [(["input"], "running")]
    assert checkpointer.finished == [(["assistant_text"], "completed", True, True, "completed")]
