"""Guardrails may refuse, hooks may only watch."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

import pytest

from agents import Runner, tool
from agents.checkpoint import RunHead
from agents.errors import GuardrailTripped
from agents.events import RunFailed
from agents.hooks import Hooks
from agents.run_info import RunInfo
from agents.stores import InMemoryCheckpointer, InMemorySession
from agents.testing import call, fails, text
from agents.transcript import AssistantTextEntry, Entry, InputEntry
from tests.agents.runs import WatchedCheckpointer, events_of, kept, kinds, scripted, stored, types


class Counting:
    """An input guardrail that counts, and refuses while it is told to."""

    def __init__(self, *, refuses: bool = False) -> None:
        self.asked = 0
        self.refuses = refuses

    async def __call__(self, run: RunInfo, given: Sequence[InputEntry]) -> str | None:
        self.asked += 1
        return "Not about that." if self.refuses else None


async def test_an_input_guardrail_refuses_before_the_model_is_asked() -> None:
    checkpointer = InMemoryCheckpointer()
    agent, provider = scripted("hi", input_guardrails=[Counting(refuses=True)])
    with pytest.raises(GuardrailTripped, match=r"Not about that\."):
        await Runner.run(agent, "hello", checkpoint=kept(checkpointer))
    snapshot = await stored(checkpointer)
    assert (provider.requests, kinds(snapshot.entries), snapshot.head.status) == ([], ["input"], "failed")


async def test_an_input_guardrail_sees_the_input_of_the_run_alone() -> None:
    seen: list[Any] = []
    session = InMemorySession()
    await session.append("s", [InputEntry("user", "before"), AssistantTextEntry("yes")])
    agent, _ = scripted("hi", input_guardrails=[lambda run, given: seen.append((run.deps, list(given)))])
    await Runner.run(agent, "hello", session=session, session_id="s", deps="Ada")
    assert seen == [("Ada", [InputEntry("user", "hello")])]


async def test_what_has_passed_is_not_asked_again() -> None:
    checkpointer, guardrail = WatchedCheckpointer(), Counting()
    for script in (fails(ValueError("x")), text("hi")):
        agent, _ = scripted(script, input_guardrails=[guardrail])
        try:
            await Runner.run(agent, "hello", checkpoint=kept(checkpointer))
        except ValueError:
            continue
    assert guardrail.asked == 1
    assert [head.input_checked for head in checkpointer.heads[:2]] == [False, True]


async def test_what_was_refused_is_asked_again() -> None:
    checkpointer, guardrail = InMemoryCheckpointer(), Counting(refuses=True)
    agent, _ = scripted("hi", input_guardrails=[guardrail])
    with pytest.raises(GuardrailTripped):
        await Runner.run(agent, "hello", checkpoint=kept(checkpointer))
    guardrail.refuses = False
    assert (await Runner.run(agent, [], checkpoint=kept(checkpointer))).output == "hi"
    assert guardrail.asked == 2


async def test_a_run_that_another_made_is_checked_before_its_first_turn() -> None:
    """As the web app does it: the command makes the checkpoint, and the run resumes it."""
    checkpointer, guardrail = InMemoryCheckpointer(), Counting(refuses=True)
    await checkpointer.append("r", [InputEntry("user", "hello")], RunHead(agent_name="helper"))
    agent, provider = scripted("hi", input_guardrails=[guardrail])
    with pytest.raises(GuardrailTripped):
        await Runner.run(agent, [], checkpoint=kept(checkpointer, if_run_exists="resume_only"))
    assert provider.requests == []


async def test_a_refused_answer_is_withdrawn_and_not_stored() -> None:
    checkpointer, session = InMemoryCheckpointer(), InMemorySession()
    agent, _ = scripted("the secret", output_guardrails=[lambda run, output: f"No {output}!"])
    events = await events_of(agent, session=session, session_id="s", checkpoint=kept(checkpointer))
    assert types(events)[-2:] == ["text_withdrawn", "run_failed"]
    assert isinstance(events[-1], RunFailed)
    assert events[-1].error["message"] == "No the secret!"
    assert kinds((await stored(checkpointer)).entries) == ["input"]
    assert await session.segments("s") == []


async def test_the_answer_after_a_refused_one_stands_alone() -> None:
    checkpointer, session = InMemoryCheckpointer(), InMemorySession()
    options: dict[str, Any] = {"session": session, "session_id": "s", "checkpoint": kept(checkpointer)}
    refuse: list[Any] = [lambda run, output: "no" if output == "bad" else None]
    with pytest.raises(GuardrailTripped):
        await Runner.run(scripted("bad", output_guardrails=refuse)[0], "hello", **options)
    await Runner.run(scripted("good", output_guardrails=refuse)[0], [], **options)
    assert (await session.load("s"))[1:] == [AssistantTextEntry("good")]


class Diary(Hooks):
    def __init__(self) -> None:
        self.lines: list[str] = []

    async def run_started(self, run: RunInfo, *, resumed: bool) -> None:
        self.lines.append(f"run_started {run.agent_name} {resumed}")

    async def turn_started(self, run: RunInfo) -> None:
        self.lines.append(f"turn_started {run.turn}")

    async def turn_finished(self, run: RunInfo, entries: Sequence[Entry]) -> None:
        self.lines.append(f"turn_finished {kinds(entries)}")

    async def tool_started(self, run: RunInfo, call: Any) -> None:
        self.lines.append(f"tool_started {call.name}")

    async def tool_returned(self, run: RunInfo, call: Any, result: Any) -> None:
        self.lines.append(f"tool_returned {result.output}")

    async def handed_over(self, run: RunInfo, target: str) -> None:
        self.lines.append(f"handed_over {run.agent_name} {target}")

    async def run_finished(self, run: RunInfo, status: str, error: BaseException | None) -> None:
        self.lines.append(f"run_finished {status} {type(error).__name__}")


@tool
async def look() -> str:
    return "found"


async def test_hooks_see_the_run_go_by() -> None:
    diary = Diary()
    await Runner.run(scripted(call("look"), "ok", tools=[look])[0], "hello", hooks=diary)
    assert diary.lines == [
        "run_started helper False",
        "turn_started 1",
        "turn_finished ['tool_call']",
        "tool_started look",
        "tool_returned found",
        "turn_started 2",
        "turn_finished ['assistant_text']",
        "run_finished completed NoneType",
    ]


async def test_the_hooks_of_the_agent_and_of_the_caller_both_watch() -> None:
    own, callers = Diary(), Diary()
    await Runner.run(scripted("ok", hooks=own)[0], "hello", hooks=callers)
    assert own.lines == callers.lines != []


async def test_a_failure_is_seen_once_it_is_saved() -> None:
    diary = Diary()
    with pytest.raises(ValueError, match="x"):
        await Runner.run(scripted(fails(ValueError("x")))[0], "hello", hooks=diary)
    assert diary.lines[-1] == "run_finished failed ValueError"


async def test_an_error_in_a_hook_is_logged_and_changes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Hooks):
        async def turn_started(self, run: RunInfo) -> None:
            raise ValueError("broken hook")

    with caplog.at_level(logging.WARNING):
        assert (await Runner.run(scripted("ok")[0], "hello", hooks=Broken())).output == "ok"
    assert caplog.messages == ["hook Broken failed: ValueError: broken hook"]


async def test_a_hook_that_hangs_does_not_hold_up_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.runtime.loop._HOOK_GRACE", 0.02)

    class Hanging(Hooks):
        async def run_finished(self, run: RunInfo, status: Any, error: Any) -> None:
            await asyncio.sleep(60)

    with pytest.raises(ValueError, match="x"):
        await asyncio.wait_for(Runner.run(scripted(fails(ValueError("x")))[0], "hello", hooks=Hanging()), 2)
