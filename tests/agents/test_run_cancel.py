"""Ending a run early: at any moment, by any hand, and what is left then."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any

import pytest

from agents import Agent, Runner
from agents.cancel import CancelToken
from agents.checkpoint import RunHead
from agents.deltas import Delta
from agents.errors import RunTimeout
from agents.events import RunFailed, TextStreamed, ToolReturned
from agents.providers.base import ModelRequest
from agents.providers.openai.messages import encode_request
from agents.runtime.interrupt import Interrupt
from agents.stores import InMemoryCheckpointer, InMemorySession
from agents.testing import call, calls, hangs, text
from agents.tools import tool
from agents.transcript import Entry, InputEntry, ToolResultEntry, make_whole, pending_tool_calls
from tests.agents.runs import WatchedCheckpointer, cancelled, events_of, kept, kinds, scripted, stored, types
from tests.fakes.strict import check


async def running(agent: Agent, checkpointer: InMemoryCheckpointer, **options: Any) -> asyncio.Task[Any]:
    """A run that has come as far as it gets without waiting."""
    task = asyncio.create_task(Runner.run(agent, "hello", checkpoint=kept(checkpointer), **options))
    await asyncio.sleep(0.02)
    return task


async def test_a_cancel_in_mid_text_closes_the_stream_at_once() -> None:
    checkpointer = InMemoryCheckpointer()
    agent, provider = scripted(text("so ") + hangs())
    await cancelled(await running(agent, checkpointer))
    assert (provider.open_streams, provider.closed_early) == (0, 1)
    snapshot = await stored(checkpointer)
    assert (kinds(snapshot.entries), snapshot.head.status, snapshot.head.error) == (
        ["input"],
        "interrupted",
        None,
    )


async def test_leaving_the_stream_early_ends_the_run() -> None:
    checkpointer = InMemoryCheckpointer()
    agent, provider = scripted("a long answer that nobody reads")
    async with aclosing(Runner.stream(agent, "hello", checkpoint=kept(checkpointer))) as events:
        async for event in events:
            if isinstance(event, TextStreamed):
                break
    assert (provider.open_streams, provider.closed_early) == (0, 1)
    assert (await stored(checkpointer)).head.status == "interrupted"
    assert checkpointer._claimed == set()


async def test_a_token_that_comes_during_the_last_save_comes_too_late() -> None:
    token = CancelToken()

    class Session(InMemorySession):
        async def append(self, session_id: str, entries: Sequence[Entry], **options: Any) -> str:
            token.cancel()
            await asyncio.sleep(0)
            return await super().append(session_id, entries, **options)

    checkpointer, session = InMemoryCheckpointer(), Session()
    options = {"session": session, "session_id": "s", "cancel": token}
    agent, _ = scripted("hi", "again")
    events = await events_of(agent, checkpoint=kept(checkpointer), **options)
    assert (types(events)[-1], (await stored(checkpointer)).head.status) == ("run_completed", "completed")
    assert [segment.run_id for segment in await session.segments("s")] == ["r"]


async def test_break_alone_ends_the_run_a_little_later() -> None:
    checkpointer = InMemoryCheckpointer()
    agent, _ = scripted("a long answer that nobody reads")
    async for event in Runner.stream(agent, "hello", checkpoint=kept(checkpointer)):
        if isinstance(event, TextStreamed):
            break
    await asyncio.sleep(0.02)
    assert (await stored(checkpointer)).head.status == "interrupted"


async def test_an_error_of_the_consumer_ends_the_run() -> None:
    checkpointer = InMemoryCheckpointer()
    agent, _ = scripted("a long answer that nobody reads")

    async def fail() -> None:
        async with aclosing(Runner.stream(agent, "hello", checkpoint=kept(checkpointer))) as events:
            async for event in events:
                raise ZeroDivisionError(event.type)

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert (await stored(checkpointer)).head.status == "interrupted"


async def test_finished_results_survive_and_running_tools_are_cancelled() -> None:
    was_cancelled: list[str] = []

    @tool
    async def fast() -> str:
        return "done"

    @tool
    async def slow() -> str:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            was_cancelled.append("slow")
            raise
        return "never"

    checkpointer = InMemoryCheckpointer()
    agent, _ = scripted(calls(("fast", {}), ("slow", {})), tools=[fast, slow])
    await cancelled(await running(agent, checkpointer))
    snapshot = await stored(checkpointer)
    assert kinds(snapshot.entries) == ["input", "tool_call", "tool_call", "tool_result"]
    assert [entry.name for entry in pending_tool_calls(snapshot.entries)] == ["slow"]
    assert (was_cancelled, snapshot.head.started_calls) == (["slow"], ["call_1", "call_2"])


async def test_results_that_nobody_had_time_to_store_are_stored_with_the_end() -> None:
    @tool
    async def fast() -> str:
        return "done"

    checkpointer = WatchedCheckpointer()
    agent, _ = scripted(calls(("fast", {}), ("fast", {}), ("fast", {})), tools=[fast])
    async with aclosing(Runner.stream(agent, "hello", checkpoint=kept(checkpointer))) as events:
        async for event in events:
            if isinstance(event, ToolReturned):
                break
    assert checkpointer.saves[2:] == [
        (["tool_result"], "running"),
        (["tool_result", "tool_result"], "interrupted"),
    ]


async def test_a_call_that_a_stop_kept_from_beginning_has_not_started() -> None:
    is_saved = asyncio.Event()

    class Slow(InMemoryCheckpointer):
        async def append(self, run_id: str, entries: Any, head: Any) -> None:
            await super().append(run_id, entries, head)
            if "tool_call" in kinds(entries):
                is_saved.set()
                await asyncio.sleep(0.02)

    ran: list[str] = []

    @tool
    async def pay() -> str:
        ran.append("pay")
        return "paid"

    checkpointer = Slow()
    agent, _ = scripted(call("pay"), tools=[pay])
    task = asyncio.create_task(Runner.run(agent, "hello", checkpoint=kept(checkpointer)))
    await is_saved.wait()
    await cancelled(task)
    snapshot = await stored(checkpointer)
    assert (kinds(snapshot.entries), snapshot.head.started_calls, ran) == (["input", "tool_call"], [], [])


async def test_a_write_that_has_begun_is_waited_for() -> None:
    class Slow(WatchedCheckpointer):
        async def append(self, run_id: str, entries: Any, head: Any) -> None:
            await asyncio.sleep(0.05)
            await super().append(run_id, entries, head)

    checkpointer = Slow()
    agent, _ = scripted(hangs())
    task = asyncio.create_task(Runner.run(agent, "hello", checkpoint=kept(checkpointer)))
    await asyncio.sleep(0.01)
    await cancelled(task)
    assert checkpointer.saves == [(["input"], "running"), ([], "interrupted")]


async def test_a_cancel_while_the_lease_is_taken_gives_it_back() -> None:
    asked, granted = asyncio.Event(), asyncio.Event()

    class Slow(InMemoryCheckpointer):
        async def acquire(self, run_id: str) -> None:
            asked.set()
            await granted.wait()
            await super().acquire(run_id)

    checkpointer = Slow()
    agent, provider = scripted("hi")
    task = asyncio.create_task(Runner.run(agent, "hello", checkpoint=kept(checkpointer)))
    await asked.wait()
    task.cancel()
    granted.set()
    await asyncio.wait({task})
    assert (task.cancelled(), checkpointer._claimed, provider.requests) == (True, set(), [])


async def test_a_cancel_while_a_stored_run_is_read_leaves_it_as_it_is() -> None:
    asked = asyncio.Event()

    class Slow(InMemoryCheckpointer):
        async def load(self, run_id: str) -> Any:
            if not asked.is_set():
                asked.set()
                await asyncio.sleep(60)
            return await super().load(run_id)

    checkpointer = Slow()
    head = RunHead("helper", status="failed", error={"type": "E"})
    await checkpointer.append("r", [InputEntry("user", "hello")], head)
    task = asyncio.create_task(Runner.run(scripted()[0], [], checkpoint=kept(checkpointer)))
    await asked.wait()
    await cancelled(task)
    kept_head = (await stored(checkpointer)).head
    assert (kept_head.status, kept_head.error, checkpointer._claimed) == ("failed", {"type": "E"}, set())


async def test_a_second_cancel_does_not_tear_the_last_save() -> None:
    class Slow(WatchedCheckpointer):
        async def append(self, run_id: str, entries: Any, head: Any) -> None:
            await asyncio.sleep(0.03)
            await super().append(run_id, entries, head)

    checkpointer = Slow()
    agent, _ = scripted(hangs())
    task = asyncio.create_task(Runner.run(agent, "hello", checkpoint=kept(checkpointer)))
    await asyncio.sleep(0.06)
    task.cancel()
    await asyncio.sleep(0.01)
    await cancelled(task)
    assert checkpointer.saves == [(["input"], "running"), ([], "interrupted")]


async def test_a_tool_that_will_not_end_does_not_hold_up_the_cancel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.runtime.tool_calls._GRACE", 0.02)
    release = asyncio.Event()

    @tool
    async def stubborn() -> str:
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        return "late"

    checkpointer = InMemoryCheckpointer()
    agent, _ = scripted(call("stubborn"), tools=[stubborn])
    await cancelled(await running(agent, checkpointer))
    assert kinds((await stored(checkpointer)).entries) == ["input", "tool_call"]
    release.set()
    await asyncio.sleep(0)


async def test_a_run_is_over_when_its_time_is(monkeypatch: pytest.MonkeyPatch) -> None:
    checkpointer = InMemoryCheckpointer()
    agent, provider = scripted(text("so ") + hangs())
    with pytest.raises(RunTimeout, match=r"0\.02 seconds"):
        await Runner.run(agent, "hello", checkpoint=kept(checkpointer), timeout=0.02)
    head = (await stored(checkpointer)).head
    assert (head.status, provider.open_streams) == ("interrupted", 0)
    assert head.error == {"type": "RunTimeout", "message": "The run took longer than 0.02 seconds."}


async def test_a_timeout_never_strikes_the_consumer() -> None:
    agent, _ = scripted(text("one two three"))
    events = []
    async for event in Runner.stream(agent, "hello", timeout=0.02):
        events.append(event)
        await asyncio.sleep(0.03)
    assert types(events) == ["run_started", "run_failed"]
    assert asyncio.current_task().cancelling() == 0  # type: ignore[union-attr]


async def test_a_token_ends_the_run_from_any_thread() -> None:
    token, checkpointer = CancelToken(), InMemoryCheckpointer()
    agent, _ = scripted(text("so ") + hangs())
    asyncio.get_running_loop().run_in_executor(None, token.cancel)
    events = await events_of(agent, checkpoint=kept(checkpointer), cancel=token)
    assert isinstance(events[-1], RunFailed)
    assert (events[-1].status, events[-1].cancelled) == ("interrupted", True)
    assert (await stored(checkpointer)).head.status == "interrupted"
    assert asyncio.current_task().cancelling() == 0  # type: ignore[union-attr]


async def test_a_token_that_fires_while_the_consumer_is_busy_ends_the_run_with_an_event() -> None:
    token, checkpointer = CancelToken(), InMemoryCheckpointer()
    agent, provider = scripted(text("one two three"))
    events = []
    async for event in Runner.stream(agent, "hello", checkpoint=kept(checkpointer), cancel=token):
        events.append(event)
        token.cancel()
        await asyncio.sleep(0)
    assert types(events) == ["run_started", "run_failed"]
    assert (events[-1].status, events[-1].cancelled) == ("interrupted", True)  # type: ignore[union-attr]
    assert (provider.requests, (await stored(checkpointer)).head.status) == ([], "interrupted")
    assert asyncio.current_task().cancelling() == 0  # type: ignore[union-attr]


async def test_nothing_fires_any_more_once_it_is_closed() -> None:
    interrupt = Interrupt()
    interrupt.close()
    interrupt.fire(RunTimeout("late"))
    interrupt.enter()


async def test_a_cancel_after_the_last_save_leaves_a_completed_run() -> None:
    checkpointer, session = InMemoryCheckpointer(), InMemorySession()
    agent, _ = scripted("hi")
    options: dict[str, Any] = {"session": session, "session_id": "s", "checkpoint": kept(checkpointer)}
    async with aclosing(Runner.stream(agent, "hello", **options)) as events:
        async for event in events:
            if event.type == "run_completed":
                break
    assert (await stored(checkpointer)).head.status == "completed"
    assert len(await session.segments("s")) == 1


async def test_a_provider_without_aclose_on_cancel_is_closed_too() -> None:
    closed = []

    class Wrapped:
        name = "wrapped"

        async def stream(self, request: ModelRequest) -> AsyncIterator[Delta]:
            try:
                await asyncio.sleep(60)
                yield  # type: ignore[misc]
            finally:
                closed.append(True)

    await cancelled(await running(Agent(name="a", model=Wrapped()), InMemoryCheckpointer()))
    assert closed == [True]


@tool
async def short(word: str) -> str:
    await asyncio.sleep(0.004)
    return word


def long_story() -> Agent:
    """Text, two calls side by side, one more, and more text, all of it with pauses."""
    turn = text("I look it up.", reasoning="Let me see.", delay=0.001)
    turn += calls(("short", {"word": "a"}), ("short", {"word": "b"}))
    agent, _ = scripted(
        turn, call("short", {"word": "c"}, delay=0.001), text("That is all.", delay=0.001), tools=[short]
    )
    return agent


@pytest.mark.parametrize("moment", range(20))
async def test_whenever_it_is_stopped_the_history_is_valid_and_the_run_can_go_on(moment: int) -> None:
    checkpointer = InMemoryCheckpointer()
    task = asyncio.create_task(Runner.run(long_story(), "hello", checkpoint=kept(checkpointer)))
    await asyncio.sleep(0.001 * moment * 1.3)
    task.cancel()
    await asyncio.wait({task})
    snapshot = await checkpointer.load("r")
    if snapshot is None:  # stopped before its first save
        return
    check_sendable(snapshot.entries)
    agent = long_story()
    for _ in range(snapshot.head.turns):
        agent.model._script.pop(0)  # type: ignore[union-attr]
    result = await Runner.run(agent, [], checkpoint=kept(checkpointer))
    assert result.output == "That is all."
    assert sorted(e.output for e in result.entries if isinstance(e, ToolResultEntry)) == ["a", "b", "c"]
    assert kinds(result.entries).count("tool_call") == 3


def check_sendable(entries: Any) -> None:
    """As a strict model server would see it."""
    request = ModelRequest(
        model="m",
        system="",
        entries=make_whole([*entries, InputEntry("user", "go on")]),
        tools=[],
        run_id="r",
    )
    check(json.loads(encode_request(request, ask_usage=True)))
