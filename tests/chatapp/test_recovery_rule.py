"""When a run goes on by itself, and what a person is told of one that does not: the pure rules."""

import uuid
from dataclasses import replace
from typing import Any

import pytest

from agents.checkpoint import RunHead
from agents.stores.orm.checkpoints import InFlight
from agents.transcript import AssistantTextEntry, InputEntry, ToolCallEntry, ToolResultEntry
from chatapp.lifecycle import ending_of, may_resume, state_of

HELLO = InputEntry("user", "hello")
LOOKUP = ToolCallEntry("a", "lookup", "{}")
PAY = ToolCallEntry("b", "pay", "{}")


def run(head: RunHead | None = None, **fields: Any) -> InFlight:
    values: dict[str, Any] = {
        "run_id": "r",
        "session_id": "s",
        "log": uuid.uuid4(),
        "head": head or RunHead(agent_name="helper", started_calls=["a", "b"]),
        "next_index": 1,
        "fence": 1,
        "lease_owner": None,
        "live": False,
        "stop_requested": False,
        "handed_over": False,
        "auto_resumes": 0,
    }
    return InFlight(**{**values, **fields})


def goes_on(flight: InFlight, *entries: Any, has_shown: bool = False) -> bool:
    return may_resume(flight, entries, has_shown=has_shown, is_repeatable=lambda name: name == "lookup")


def test_a_run_that_has_shown_nothing_goes_on():
    assert goes_on(run(), HELLO)


def test_a_run_that_has_shown_text_waits_for_a_click():
    assert not goes_on(run(), HELLO, has_shown=True)
    assert not goes_on(run(), HELLO, AssistantTextEntry("so"), LOOKUP, ToolResultEntry("a", "x"))


def test_only_repeatable_calls_open_go_on_and_others_do_not():
    assert goes_on(run(), HELLO, AssistantTextEntry("so"), LOOKUP)
    assert not goes_on(run(), HELLO, PAY)
    assert not goes_on(run(), HELLO, LOOKUP, PAY)


def test_an_unrepeatable_call_that_never_started_is_no_danger_but_no_reason_either():
    not_begun = RunHead(agent_name="helper")
    assert not goes_on(run(not_begun), HELLO, PAY)
    assert goes_on(run(not_begun, handed_over=True), HELLO, PAY)


def test_what_was_handed_over_goes_on_unless_an_unrepeatable_call_was_begun():
    assert goes_on(run(handed_over=True), HELLO, has_shown=True)
    assert not goes_on(run(handed_over=True), HELLO, PAY)


@pytest.mark.parametrize("fields", [{"live": True}, {"stop_requested": True}, {"auto_resumes": 3}])
def test_never_when_it_is_live_or_to_be_stopped_or_tried_three_times(fields):
    assert not goes_on(run(**fields), HELLO)


def test_a_run_that_broke_off_by_itself_is_not_tried_again():
    broken = RunHead(
        agent_name="helper", status="interrupted", error={"type": "ProviderError", "message": "x"}
    )
    assert not goes_on(run(broken), HELLO)


def test_state_and_ending():
    broken = RunHead(
        agent_name="helper", status="interrupted", error={"type": "ProviderError", "message": "x"}
    )
    assert state_of(run(live=True)) == "running"
    assert state_of(run()) == "interrupted"
    assert state_of(run(broken)) == "failed"
    assert state_of(run(replace(broken, status="failed"))) == "failed"
    assert ending_of(run()) == "interrupted"
    assert ending_of(run(stop_requested=True)) == "stopped"
    assert ending_of(run(broken)) == "failed"
    assert ending_of(run(RunHead(agent_name="helper", status="completed"))) == "completed"
