"""POST /threads/<id>/stop/: the text stays, the provider is left alone, the calls are named."""

import threading

import pytest

from agents import tool
from agents.stores.orm import checkpoints, sessions
from agents.testing import Turn, call, hangs, text
from agents.transcript import (
    AssistantTextEntry,
    InputEntry,
    ReasoningEntry,
    ToolCallEntry,
    ToolResultEntry,
)
from tests.chatapp.conftest import DATA, PAGE, ask, ended, flight_of, segments, send, shown, until


def stop(client, thread, **how):
    return client.post(f"/threads/{thread.id}/stop/", **(how or DATA))


def test_stop_keeps_what_was_shown(client, script, thread):
    provider = script(hangs("So far so good"))
    send(client, thread, "Go")
    until(lambda: shown(thread) == "So far so good")
    assert stop(client, thread).status_code == 200
    (segment,) = segments(thread)
    assert segment.entries == [InputEntry("user", "Go"), AssistantTextEntry("So far so good", partial=True)]
    assert segment.meta["status"] == "stopped"
    assert checkpoints.in_flight(thread.session_id) is None
    assert (provider.open_streams, provider.closed_early) == (0, 1)


def test_what_is_stopped_says_as_much_of_itself_as_what_completes(client, script, thread):
    thinks = text("So far", reasoning="Let me see.", delay=0.02)
    script(Turn((*thinks.steps, *hangs().steps), finish=None))
    send(client, thread, "Go")
    until(lambda: shown(thread) == "So far")
    stop(client, thread)
    (segment,) = segments(thread)
    assert segment.entries[1] == ReasoningEntry("Let me see.")
    assert (segment.meta["model"], segment.meta["usage_estimated"]) == ("scripted", True)
    assert 0 < segment.meta["reasoning_seconds"]["1"] < 5


def test_stop_in_a_tool_drops_its_call_and_names_it(client, script, thread):
    inside = threading.Event()

    @tool
    async def pay(amount: int) -> str:
        """Pays."""
        import asyncio

        inside.set()
        await asyncio.sleep(60)
        return "paid"

    script(text("I pay.") + call("pay", {"amount": 3}), tools=[pay])
    send(client, thread, "Go")
    assert inside.wait(5)
    stop(client, thread)
    (segment,) = segments(thread)
    assert segment.entries == [InputEntry("user", "Go"), AssistantTextEntry("I pay.")]
    assert segment.meta["dropped_calls"] == [
        {"call_id": "call_pay", "name": "pay", "arguments": '{"amount": 3}', "started": True}
    ]


def test_stop_keeps_a_finished_result(client, script, thread):
    @tool
    def lookup(word: str) -> str:
        """Looks up."""
        return "found"

    script(call("lookup", {"word": "x"}), hangs("It is"), tools=[lookup])
    send(client, thread, "Go")
    until(lambda: shown(thread) == "It is")
    stop(client, thread)
    entries = sessions.load(thread.session_id)
    assert [type(entry) for entry in entries] == [
        InputEntry,
        ToolCallEntry,
        ToolResultEntry,
        AssistantTextEntry,
    ]


def test_after_a_stop_the_next_message_is_answered(client, script, thread):
    provider = script(hangs("So f"), text("Fine."))
    send(client, thread, "Go")
    until(lambda: shown(thread) == "So f")
    stop(client, thread)
    assert send(client, thread, "And now?").status_code == 200
    ended(thread)
    assert [segment.meta["status"] for segment in segments(thread)] == [
        "stopped",
        "completed",
    ]
    assert AssistantTextEntry("So f", partial=True) in provider.requests[-1].entries


def test_stop_where_nothing_runs_changes_nothing(client, script, thread, add_run):
    add_run(ask())
    assert stop(client, thread).status_code == 200
    assert len(segments(thread)) == 1


def test_stop_leaves_an_interrupted_run_to_the_user(client, script, thread, add_flight):
    run_id = add_flight(ask())
    assert stop(client, thread).status_code == 200
    assert flight_of(thread).run_id == run_id


def test_a_plain_form_goes_back_to_the_thread(client, script, thread):
    answer = stop(client, thread, **PAGE)
    assert (answer.status_code, answer["Location"]) == (303, f"/threads/{thread.id}/")


# who may


def test_a_stranger_cannot_stop(client, client_for, stranger, script, thread):
    script(hangs("So far"))
    send(client, thread, "Go")
    until(lambda: shown(thread) == "So far")
    assert stop(client_for(stranger), thread).status_code == 404
    assert flight_of(thread).live


def test_without_login_it_is_401(anonymous, thread):
    assert stop(anonymous, thread).status_code == 401


@pytest.mark.parametrize("method", ["get", "put"])
def test_other_methods_are_refused(client, thread, method):
    assert getattr(client, method)(f"/threads/{thread.id}/stop/", **DATA).status_code == 405
