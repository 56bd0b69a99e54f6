"""What becomes of a call: one result each, whatever the tool does."""

import asyncio
import contextvars
import logging
import sys
import threading
import time
from typing import Any

import pytest

from agents import RunContext, Runner, UserError, tool
from agents.errors import ToolError
from agents.events import ToolCalled, ToolProgressed, ToolReturned
from agents.runtime.tool_calls import MOST_AT_ONCE
from agents.testing import Turn, call, calls
from agents.tools import Tool
from agents.tools.threads import at_thread_end
from agents.transcript import ToolCallEntry, ToolResultEntry
from tests.agents.runs import events_of, kinds, scripted


async def results_of(*tools: Tool, script: Turn, **options: Any) -> list[ToolResultEntry]:
    agent, _ = scripted(script, "ok", tools=tools)
    result = await Runner.run(agent, "hello", **options)
    return [entry for entry in result.entries if isinstance(entry, ToolResultEntry)]


async def result_of(used: Tool, arguments: Any = None, **options: Any) -> ToolResultEntry:
    (result,) = await results_of(used, script=call(used.name, arguments), **options)
    return result


async def test_calls_of_a_turn_run_side_by_side() -> None:
    gate = asyncio.Barrier(3)

    @tool(timeout=2)
    async def meet(name: str) -> str:
        await gate.wait()
        return name

    script = calls(*(("meet", {"name": name}) for name in "abc"))
    assert {result.output for result in await results_of(meet, script=script)} == {"a", "b", "c"}


async def test_a_tool_that_wants_to_be_alone_runs_alone_and_in_its_place() -> None:
    running: set[str] = set()
    seen: list[tuple[str, set[str]]] = []

    async def work(ctx: RunContext, arguments: dict[str, Any]) -> str:
        running.add(ctx.call_id)
        await asyncio.sleep(0.005)
        seen.append((ctx.call_id, set(running)))
        running.discard(ctx.call_id)
        return "ok"

    shared, alone = Tool("shared", "", {}, work), Tool("alone", "", {}, work, parallel=False)
    script = calls(("shared", {}), ("shared", {}), ("alone", {}), ("alone", {}), ("shared", {}))
    await results_of(shared, alone, script=script)
    assert seen[0][1] == {"call_1", "call_2"}
    assert seen[2:] == [("call_3", {"call_3"}), ("call_4", {"call_4"}), ("call_5", {"call_5"})]


async def test_a_model_that_asks_for_very_many_calls_gets_all_but_not_at_once() -> None:
    running: set[str] = set()
    most = 0

    @tool
    async def work(ctx: RunContext) -> str:
        nonlocal most
        running.add(ctx.call_id)
        most = max(most, len(running))
        await asyncio.sleep(0.005)
        running.discard(ctx.call_id)
        return "ok"

    results = await results_of(work, script=calls(*[("work", {})] * (2 * MOST_AT_ONCE + 1)))
    assert most == MOST_AT_ONCE
    assert len({result.call_id for result in results}) == 2 * MOST_AT_ONCE + 1


async def test_results_are_stored_in_the_order_in_which_they_land() -> None:
    @tool
    async def wait(seconds: float) -> str:
        await asyncio.sleep(seconds)
        return str(seconds)

    script = calls(("wait", {"seconds": 0.02}), ("wait", {"seconds": 0}))
    assert [result.call_id for result in await results_of(wait, script=script)] == ["call_2", "call_1"]


async def test_a_plain_function_runs_in_a_thread_with_its_context() -> None:
    variable = contextvars.ContextVar("variable", default="unset")
    variable.set("set")

    @tool
    def where() -> list[Any]:
        return [threading.current_thread() is threading.main_thread(), variable.get()]

    assert (await result_of(where)).raw == [False, "set"]


async def test_a_blocking_tool_does_not_block_the_loop() -> None:
    @tool
    def block() -> str:
        time.sleep(0.1)
        return "done"

    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.005)
            ticks += 1

    ticking = asyncio.create_task(tick())
    assert (await result_of(block)).output == "done"
    ticking.cancel()
    assert ticks >= 10


async def test_what_a_thread_opened_can_be_closed_at_its_end() -> None:
    closed: list[int] = []

    def close() -> None:
        closed.append(threading.get_ident())

    at_thread_end(close)
    at_thread_end(close)
    used: list[int] = []

    @tool
    def work() -> str:
        used.append(threading.get_ident())
        return ""

    await result_of(work)
    await asyncio.sleep(0.02)
    assert closed.count(used[0]) == 1


def raising(error: BaseException) -> Tool:
    @tool
    async def break_(x: int = 0) -> str:
        raise error

    return break_


@pytest.mark.parametrize(
    "error, output",
    [
        (ToolError("Ask for another word."), "Ask for another word."),
        (ValueError("bad\x00 word"), "ValueError: bad\ufffd word"),
        (KeyError(), "KeyError: KeyError"),
        (SystemExit("bye"), "SystemExit: bye"),
        (asyncio.CancelledError(), "The tool was cancelled."),
        (TimeoutError("its own"), "TimeoutError: its own"),
    ],
)
async def test_a_tool_that_fails_tells_the_model(error: BaseException, output: str) -> None:
    result = await result_of(raising(error))
    assert (result.output, result.is_error) == (output, True)


async def test_a_failure_logs_one_line(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        await result_of(raising(ValueError("bad word")))
    assert [record.getMessage() for record in caplog.records] == ["tool break_ failed: ValueError: bad word"]
    assert caplog.records[0].exc_info is None


async def test_a_thread_that_exits_does_not_take_the_process_with_it() -> None:
    @tool
    def leave() -> str:
        sys.exit(3)

    result = await result_of(leave)
    assert (result.output, result.is_error) == ("SystemExit: 3", True)


async def test_one_that_fails_leaves_the_others_alone() -> None:
    @tool
    async def fine() -> str:
        return "fine"

    script = calls(("break_", {}), ("fine", {}))
    results = await results_of(raising(ValueError("x")), fine, script=script)
    assert {(result.call_id, result.is_error) for result in results} == {("call_1", True), ("call_2", False)}


async def test_a_tool_that_takes_too_long_is_left() -> None:
    left = []

    @tool(timeout=0.02)
    async def slow(ctx: RunContext) -> str:
        try:
            await asyncio.sleep(60)
        finally:
            left.append(ctx.is_cancelled)
        return "never"

    result = await result_of(slow)
    assert result.is_error
    assert "No answer within 0.02 seconds" in result.output
    assert "may have taken effect" in result.output
    assert left == [False]


async def test_a_thread_is_told_that_nobody_waits_any_more() -> None:
    told = threading.Event()

    @tool(timeout=0.02)
    def slow(ctx: RunContext) -> str:
        while not ctx.is_cancelled:
            time.sleep(0.002)
        told.set()
        return "late"

    assert (await result_of(slow)).is_error
    assert await asyncio.to_thread(told.wait, 2)


async def test_a_long_output_is_cut_and_says_so() -> None:
    @tool(max_output=10)
    async def long() -> str:
        return "x" * 1_000_000

    assert (await result_of(long)).output == (
        "xxxxxxxxxx\n[Cut: these are the first 10 of 1,000,000 characters.]"
    )


async def test_a_long_value_is_cut_and_not_kept_beside() -> None:
    @tool(max_output=10)
    async def long() -> list[int]:
        return list(range(100))

    result = await result_of(long)
    assert (result.output[:10], result.raw) == ("[0, 1, 2, ", None)


@pytest.mark.parametrize(
    "value, output, raw",
    [
        ("text\r\n\ud800", "text\n\ufffd", None),
        (None, "", None),
        (3, "3", 3),
        ({"ä": [1, True, None]}, '{"ä": [1, true, null]}', {"ä": [1, True, None]}),
        ({"a": float("nan")}, '{"a": null}', {"a": None}),
        ({"a\x00": "\ud83d"}, '{"a\ufffd": "\ufffd"}', {"a\ufffd": "\ufffd"}),
        ({1}, "[1]", [1]),
        (b"bytes", '"bytes"', "bytes"),
        (object, None, None),
    ],
)
async def test_what_a_tool_returns_becomes_text_and_json(value: Any, output: str | None, raw: Any) -> None:
    @tool
    async def give() -> Any:
        return value

    result = await result_of(give)
    assert not result.is_error
    if output is not None:
        assert (result.output, result.raw) == (output, raw)


@pytest.mark.parametrize("arguments", ['{"word": "lo', "[1]", "3", "null", '"x"'])
async def test_arguments_that_are_no_object_are_stored_as_they_came_and_run_nothing(arguments: str) -> None:
    @tool
    async def look(word: str = "") -> str:
        raise AssertionError("it ran")

    agent, provider = scripted(call("look", arguments), "ok", tools=[look])
    result = await Runner.run(agent, "hello")
    assert result.entries[1] == ToolCallEntry("call_look", "look", arguments)
    (answer,) = [entry for entry in result.entries if isinstance(entry, ToolResultEntry)]
    assert (answer.is_error, answer.seconds) == (True, None)
    sent = provider.requests[1].entries[1]
    assert isinstance(sent, ToolCallEntry)
    assert sent.arguments.startswith('{"_raw"')


async def test_no_arguments_at_all_are_an_empty_object() -> None:
    @tool
    async def now() -> str:
        return "noon"

    assert (await result_of(now, "")).output == "noon"


async def test_arguments_that_do_not_fit_are_explained() -> None:
    @tool
    async def add(a: int, b: int) -> int:
        return a + b

    result = await result_of(add, {"a": "one", "c": 1})
    assert result.is_error
    assert result.output.startswith("The arguments do not fit. a: Input should be a valid integer")
    assert "b: Field required." in result.output
    assert "c: Extra inputs are not permitted." in result.output


async def test_a_tool_that_nobody_has_is_named() -> None:
    @tool
    async def look() -> str:
        return ""

    (result,) = await results_of(look, script=call("fly away", {}))
    assert (result.output, result.is_error) == (
        "There is no tool named 'fly_away'. The tools are: look.",
        True,
    )


@pytest.mark.parametrize("rule", [True, lambda arguments, ctx: arguments["amount"] > 5, lambda a, c: 1 / 0])
async def test_what_needs_approval_never_runs(rule: Any) -> None:
    @tool(needs_approval=rule)
    async def pay(amount: int) -> str:
        raise AssertionError("it ran")

    agent, _ = scripted(call("pay", {"amount": 10}), "ok", tools=[pay])
    events = await events_of(agent)
    assert [event.started for event in events if isinstance(event, ToolCalled)] == [False]
    (returned,) = [event for event in events if isinstance(event, ToolReturned)]
    assert returned.is_error
    assert "nobody could be asked" in returned.output


async def test_a_predicate_may_let_a_call_pass() -> None:
    @tool(needs_approval=lambda arguments, ctx: arguments["amount"] > 5)
    async def pay(amount: int) -> str:
        return f"paid {amount}"

    assert (await result_of(pay, {"amount": 2})).output == "paid 2"


async def test_a_tool_knows_whom_it_serves() -> None:
    @tool
    async def who(ctx: RunContext) -> list[Any]:
        return [
            ctx.call_id,
            ctx.agent_name,
            ctx.deps,
            ctx.session_id,
            ctx.idempotency_key == f"{ctx.run_id}:{ctx.call_id}",
        ]

    result = await result_of(who, deps="Ada", session_id="s")
    assert result.raw == ["call_who", "helper", "Ada", "s", True]


@pytest.mark.parametrize("in_thread", [True, False])
async def test_progress_is_shown(in_thread: bool) -> None:
    if in_thread:

        @tool
        def work(ctx: RunContext) -> str:
            ctx.report(1, 4, "first")
            time.sleep(0.08)
            ctx.report(2, 4, "second")
            time.sleep(0.08)
            return "done"
    else:

        @tool
        async def work(ctx: RunContext) -> str:
            await ctx.progress(1, 4, "first")
            await asyncio.sleep(0.08)
            await ctx.progress(2, 4, "second")
            await asyncio.sleep(0.08)
            return "done"

    events = await events_of(scripted(call("work"), "ok", tools=[work])[0])
    shown = [(e.call_id, e.done, e.total, e.note) for e in events if isinstance(e, ToolProgressed)]
    assert shown == [("call_work", 1, 4, "first"), ("call_work", 2, 4, "second")]


async def test_a_flood_of_progress_is_thinned_out() -> None:
    @tool
    async def work(ctx: RunContext) -> str:
        for step in range(5_000):
            await ctx.progress(step, 5_000)
        return "done"

    events = await events_of(scripted(call("work"), "ok", tools=[work])[0])
    assert len([event for event in events if isinstance(event, ToolProgressed)]) < 50


async def test_an_id_is_never_used_twice_in_a_run() -> None:
    seen: list[str] = []

    @tool
    async def look(ctx: RunContext) -> str:
        seen.append(ctx.idempotency_key)
        return ""

    nameless = Turn(tuple(step for step in call("look", call_id="x").steps))
    agent, _ = scripted(nameless + nameless, call("look", call_id="x"), "ok", tools=[look])
    result = await Runner.run(agent, "hello")
    ids = [entry.call_id for entry in result.entries if isinstance(entry, ToolCallEntry)]
    assert ids == ["x", "x-2", "x-3"]
    assert len(set(seen)) == 3


async def test_two_tools_of_one_name_are_refused() -> None:
    @tool(name="look")
    async def one() -> str:
        return ""

    @tool(name="look")
    async def two() -> str:
        return ""

    with pytest.raises(UserError, match="two tools"):
        await Runner.run(scripted(tools=[one, two])[0], "hello")


async def test_many_calls_get_as_many_results() -> None:
    @tool
    async def echo(n: int) -> int:
        return n

    script = calls(*(("echo", {"n": n}) for n in range(100)))
    results = await results_of(echo, script=script)
    assert sorted(result.raw for result in results) == list(range(100))
    assert kinds(results) == ["tool_result"] * 100
