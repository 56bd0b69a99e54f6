"""The loop on the stores of the database: the same rules, with leases between processes."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest

from agents import Agent, CheckpointOptions, Runner
from agents.checkpoint import RunHead
from agents.errors import LeaseLost, RunInFlight, UserError
from agents.models import Checkpoint
from agents.runner import RunResult
from agents.stores import OrmCheckpointer, OrmSession
from agents.stores.orm import checkpoints
from agents.stores.orm.threads import in_thread
from agents.testing import ScriptedProvider, call, calls, hangs, text
from agents.tools import tool
from agents.transcript import AssistantTextEntry, Entry, InputEntry, ToolResultEntry
from tests.agents.orm import steal, stored
from tests.agents.runs import Crash, cancelled, events_of, kinds, scripted, types

pytestmark = pytest.mark.django_db(transaction=True, available_apps=["agents"])


@tool
async def look(word: str) -> str:
    return word.upper()


@tool
def look_in_thread(word: str) -> str:
    return word.lower()


def story() -> tuple[Agent, ScriptedProvider]:
    both = text("I look.", reasoning="hm") + calls(("look", {"word": "a"}), ("look_in_thread", {"word": "B"}))
    return scripted(both, text("Both."), tools=[look, look_in_thread])


STORY = ["input", "reasoning", "assistant_text", "tool_call", "tool_call", "tool_result", "tool_result"]


def stored_in(**options: Any) -> dict[str, Any]:
    """Run "r" of session "s", in stores as another process would open them."""
    checkpointer = options.pop("checkpointer", None) or OrmCheckpointer()
    run_id = options.pop("run_id", "r")
    kept = CheckpointOptions(checkpointer, run_id, **options)
    return {"session": OrmSession(), "session_id": "s", "checkpoint": kept}


async def rows() -> tuple[int, int, int]:
    """How many checkpoints, segments and entries there are."""
    return (await in_thread(stored))[:3]


async def status() -> str:
    row = await in_thread(Checkpoint.objects.get, run_id="r")
    return row.status


async def test_a_run_becomes_a_segment_and_its_checkpoint_goes() -> None:
    result = await Runner.run(story()[0], "hello", **stored_in(delete_on_success=True))
    (segment,) = await OrmSession().segments("s")
    assert (segment.run_id, segment.entries) == ("r", result.entries)
    assert kinds(segment.entries) == [*STORY, "assistant_text"]
    assert segment.meta is not None
    assert (segment.meta["status"], segment.meta["turns"]) == ("completed", 2)
    assert await rows() == (0, 1, 8)


async def test_a_kept_checkpoint_replays() -> None:
    await Runner.run(story()[0], "hello", **stored_in())
    agent, provider = story()
    events = await events_of(agent, "other", **stored_in())
    assert types(events) == ["run_started", "run_completed"]
    assert (provider.requests, await rows()) == ([], (1, 1, 8))


async def test_the_next_run_of_the_session_remembers() -> None:
    await Runner.run(story()[0], "hello", **stored_in(delete_on_success=True))
    agent, provider = scripted("yes")
    await Runner.run(agent, "and?", **stored_in(run_id="r2"))
    assert kinds(provider.requests[0].entries) == [*STORY, "assistant_text", "input"]


async def test_a_run_without_a_session_is_kept_too() -> None:
    kept = CheckpointOptions(OrmCheckpointer(), "r")
    await Runner.run(story()[0], "hello", checkpoint=kept)
    assert (await status(), await rows()) == ("completed", (1, 0, 8))
    assert (await Runner.run(scripted()[0], [], checkpoint=kept)).output == "Both."


async def test_a_cancelled_run_is_whole_released_and_goes_on_elsewhere() -> None:
    reached = asyncio.Event()
    agent, provider = scripted(call("look", {"word": "a"}), hangs("so ", reached=reached), tools=[look])
    task = asyncio.create_task(Runner.run(agent, "hello", **stored_in()))
    await reached.wait()
    await cancelled(task)
    assert (await status(), provider.open_streams) == ("interrupted", 0)
    again, second = scripted("Done.")
    result = await Runner.run(again, [], **stored_in(delete_on_success=True))
    assert kinds(result.entries) == ["input", "tool_call", "tool_result", "assistant_text"]
    assert (len(second.requests), await rows()) == (1, (0, 1, 4))


async def test_two_processes_do_not_run_one_run() -> None:
    """The second is refused, or told the result of the first if it comes late."""
    agent, provider = scripted("one", "two")
    ends = await asyncio.gather(
        *(Runner.run(agent, "hello", **stored_in()) for _ in range(2)), return_exceptions=True
    )
    assert all(isinstance(end, RunResult | UserError) for end in ends)
    assert len(provider.requests) == 1
    assert await rows() == (1, 1, 2)


async def test_a_second_run_in_the_session_names_the_first_and_leaves_no_row() -> None:
    agent, provider = scripted(hangs("so "))
    async with aclosing(Runner.stream(agent, "hello", **stored_in())) as events:
        async for event in events:
            if event.type == "text_streamed":
                break
        with pytest.raises(RunInFlight, match="'r'"):
            await Runner.run(agent, "hello", **stored_in(run_id="second"))
    assert (len(provider.requests), await rows()) == (1, (1, 0, 1))


async def test_who_loses_the_lease_ends_and_writes_nothing_more() -> None:
    @tool
    async def lose() -> str:
        await in_thread(steal, "r")
        return "lost"

    agent, provider = scripted(call("lose"), "never", tools=[lose])
    with pytest.raises(LeaseLost):
        await Runner.run(agent, "hello", **stored_in())
    assert len(provider.requests) == 1
    assert (await status(), await rows()) == ("running", (1, 0, 2))


async def test_a_lost_lease_is_noticed_in_mid_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OrmCheckpointer, "heartbeat_every", 0.02)
    reached = asyncio.Event()
    agent, provider = scripted(hangs("so ", reached=reached))
    task = asyncio.create_task(Runner.run(agent, "hello", **stored_in()))
    await reached.wait()
    await in_thread(steal, "r")
    with pytest.raises(LeaseLost):
        await asyncio.wait_for(task, 5)
    assert provider.open_streams == 0


async def test_a_call_that_is_refused_leaves_the_row_as_it_is() -> None:
    head = RunHead("helper", status="interrupted", session_id="s")
    await OrmCheckpointer().append("r", [InputEntry("user", "hello")], head)
    await in_thread(checkpoints.request_stop, "r")
    await in_thread(Checkpoint.objects.filter(run_id="r").update, handed_over=True)
    before = await in_thread(checkpoints.run_in_flight, "r")
    with pytest.raises(UserError, match="exists"):
        await Runner.run(scripted()[0], "hello", **stored_in(if_run_exists="fail"))
    after = await in_thread(checkpoints.run_in_flight, "r")
    assert before is not None
    assert after == replace(before, fence=before.fence + 1)


@pytest.mark.parametrize("step", ["acquire", "append"])
async def test_a_cancel_while_a_run_opens_leaves_it_to_go_on(step: str) -> None:
    reached, goes_on = asyncio.Event(), asyncio.Event()

    class Slow(OrmCheckpointer):
        async def acquire(self, run_id: str) -> None:
            await super().acquire(run_id)
            await self._at("acquire")

        async def append(self, run_id: str, entries: Sequence[Entry], head: RunHead) -> None:
            await super().append(run_id, entries, head)
            await self._at("append")

        async def _at(self, name: str) -> None:
            if name == step:
                reached.set()
                await goes_on.wait()

    slow = Slow()
    if step == "acquire":
        head = RunHead("helper", status="interrupted", session_id="s")
        await OrmCheckpointer().append("r", [InputEntry("user", "hello")], head)
    task = asyncio.create_task(Runner.run(scripted("never")[0], "hello", **stored_in(checkpointer=slow)))
    await reached.wait()
    task.cancel()
    goes_on.set()
    await asyncio.wait({task})
    assert (task.cancelled(), await status()) == (True, "interrupted")
    assert (await Runner.run(scripted("hi")[0], [], **stored_in(checkpointer=slow))).output == "hi"


async def test_restart_replaces_the_answer_in_the_session() -> None:
    await Runner.run(scripted("first")[0], "hello", **stored_in())
    await Runner.run(scripted("second")[0], "hello", **stored_in(if_run_exists="restart"))
    (segment,) = await OrmSession().segments("s")
    assert segment.entries == [InputEntry("user", "hello"), AssistantTextEntry("second")]


async def test_restart_beside_another_unfinished_run_changes_nothing() -> None:
    await Runner.run(scripted("first")[0], "hello", **stored_in())
    await OrmCheckpointer().append("rival", [InputEntry("user", "x")], RunHead("helper", session_id="s"))
    before = await OrmSession().segments("s"), await OrmCheckpointer().load("r"), await rows()
    with pytest.raises(RunInFlight, match="rival"):
        await Runner.run(scripted("never")[0], "anew", **stored_in(if_run_exists="restart"))
    assert (await OrmSession().segments("s"), await OrmCheckpointer().load("r"), await rows()) == before


@pytest.mark.parametrize("written", [True, False])
async def test_a_crash_in_a_restart_leaves_the_old_run_or_the_new_one(written: bool) -> None:
    await Runner.run(scripted("first")[0], "hello", **stored_in())
    dying = Dying(at=1, written=written)
    with pytest.raises(Crash):
        await Runner.run(scripted()[0], "anew", **stored_in(checkpointer=dying, if_run_exists="restart"))
    agent, _ = scripted("second")
    result = await Runner.run(agent, "ignored", **stored_in())
    (segment,) = await OrmSession().segments("s")
    assert segment.entries == result.entries
    expected = ("anew", "second") if written else ("hello", "first")
    assert [getattr(entry, "content", "") for entry in segment.entries] == list(expected)


class Dying(OrmCheckpointer):
    """Its process dies at the n-th write, before or after that is committed."""

    def __init__(self, *, at: int, written: bool) -> None:
        super().__init__()
        self.left = at
        self._written = written

    async def append(self, run_id: str, entries: Sequence[Entry], head: RunHead) -> None:
        await self._live(super().append(run_id, entries, head))

    async def restart(self, *args: Any, **options: Any) -> None:
        await self._live(super().restart(*args, **options))

    async def finish(self, *args: Any, **options: Any) -> None:
        await self._live(super().finish(*args, **options))

    async def _live(self, write: Any) -> None:
        self.left -= 1
        if self.left > 0 or (self.left == 0 and self._written):
            await write
        else:
            write.close()
        if self.left <= 0:
            raise Crash


@pytest.mark.parametrize("written", [True, False])
@pytest.mark.parametrize("at", [1, 2, 3, 4, 5])
async def test_a_crash_at_any_write_loses_and_doubles_nothing(at: int, written: bool) -> None:
    with pytest.raises(Crash):
        await Runner.run(story()[0], "hello", **stored_in(checkpointer=Dying(at=at, written=written)))
    agent, provider = story()
    if turn_is_stored := at > (1 if written else 2):
        provider._script.pop(0)
    result = await Runner.run(agent, "hello", **stored_in())
    (segment,) = await OrmSession().segments("s")
    assert segment.entries == result.entries
    assert kinds(result.entries) == [*STORY, "assistant_text"]
    assert sorted(e.output for e in result.entries if isinstance(e, ToolResultEntry)) == ["A", "b"]
    answer_is_stored = (at, written) == (5, True)
    assert len(provider.requests) == 2 - turn_is_stored - answer_is_stored


async def test_many_runs_at_once_are_no_trouble() -> None:
    agents = [story() for _ in range(20)]
    await asyncio.gather(
        *(
            Runner.run(
                agent,
                "hello",
                session=OrmSession(),
                session_id=f"s{number}",
                checkpoint=CheckpointOptions(OrmCheckpointer(), f"r{number}", delete_on_success=True),
            )
            for number, (agent, _) in enumerate(agents)
        )
    )
    assert await rows() == (0, 20, 160)
