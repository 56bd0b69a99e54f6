"""POST …/recover/: what a person can do about a run whose owner is gone."""

import asyncio

import pytest
from django.db import OperationalError

from agents import tool
from agents.stores.orm import checkpoints, sessions
from agents.testing import call, hangs, text
from agents.transcript import AssistantTextEntry, ToolCallEntry, ToolResultEntry
from agents.usage import Usage
from chatapp import executor
from chatapp.eventlog import read_after
from chatapp.eventlog.log import RunWrite
from chatapp.models import QueuedMessage, Revision
from tests.chatapp.conftest import DATA, PAGE, ask, ended, flight_of, said, segments, send, shown, until
from tests.chatapp.watching import in_thread, watching

HALF = {"type": "text_delta", "index": 1, "text": "Half an ans"}


def recover(client, thread, action, how=DATA):
    return client.post(f"/threads/{thread.id}/recover/", {"action": action}, **how)


def test_resume_finishes_the_turn(client, script, thread, add_flight):
    script(text("The whole answer."))
    run_id = add_flight(ask("Go"), frames=[HALF])
    assert recover(client, thread, "resume").status_code == 200
    ended(thread)
    (segment,) = segments(thread)
    assert (segment.run_id, segment.meta["status"]) == (run_id, "completed")
    assert said(thread.session_id) == ["Go", "The whole answer."]


def test_a_resumed_run_counts_its_frames_on_and_withdraws_the_old_text(client, script, thread, add_flight):
    script(text("The whole answer."))
    run_id = add_flight(ask("Go"), frames=[HALF])
    recover(client, thread, "resume")
    ended(thread)
    frames = read_after(thread.id, run_id, 0)
    assert [frame["seq"] for frame in frames] == list(range(1, len(frames) + 1))
    kinds = [frame["type"] for frame in frames]
    assert kinds.index("text_withdrawn") == kinds.index("run_started", 1) + 1


def test_resume_does_not_run_a_finished_tool_again(client, script, thread, add_flight):
    ran = []

    @tool
    def pay(amount: int) -> str:
        """Pays."""
        ran.append(amount)
        return "paid"

    script(text("Both paid."), tools=[pay])
    done, open_call = ToolCallEntry("c1", "pay", '{"amount": 1}'), ToolCallEntry("c2", "pay", '{"amount": 2}')
    add_flight(ask("Go"), done, open_call, ToolResultEntry("c1", "paid"), started_calls=["c1", "c2"])
    recover(client, thread, "resume")
    ended(thread)
    assert ran == [2]
    assert segments(thread)[0].entries[-1] == AssistantTextEntry("Both paid.")


def test_retry_of_a_failed_run_is_resume(client, script, thread, add_flight):
    script(text("Now it works."))
    add_flight(ask("Go"), error={"type": "ProviderError", "message": "No quota."})
    recover(client, thread, "resume")
    ended(thread)
    assert said(thread.session_id) == ["Go", "Now it works."]


@pytest.mark.parametrize(
    ("head", "status"),
    [({}, "interrupted"), ({"error": {"type": "ProviderError", "message": "No quota."}}, "failed")],
)
def test_keep_makes_it_history_as_it_is(client, script, thread, add_flight, head, status):
    add_flight(ask("Go"), frames=[HALF], **head)
    assert recover(client, thread, "keep").status_code == 200
    (segment,) = segments(thread)
    assert (segment.meta["status"], segment.entries[-1]) == (
        status,
        AssistantTextEntry("Half an ans", partial=True),
    )
    assert checkpoints.in_flight(thread.session_id) is None


def test_discard_gives_the_message_back_and_keeps_the_rest_aside(client, script, thread, add_run, add_flight):
    add_run(ask("First"))
    run_id = add_flight(ask("Go"), frames=[HALF])
    assert recover(client, thread, "discard").json()["text"] == "Go"
    assert said(thread.session_id) == ["First"]
    revision = Revision.objects.get()
    assert (revision.reason, sessions.segments(revision.cut_id)[0].run_id) == ("discard", run_id)


def test_discard_keeps_aside_what_was_shown_and_no_call_without_its_result(
    client, script, thread, add_flight
):
    open_call = ToolCallEntry("c1", "pay", "{}")
    add_flight(ask("Go"), open_call, frames=[HALF | {"index": 2}], started_calls=["c1"])
    recover(client, thread, "discard")
    (aside,) = sessions.segments(Revision.objects.get().cut_id)
    assert aside.meta is not None
    assert aside.entries == [ask("Go"), AssistantTextEntry("Half an ans", partial=True)]
    assert [call["started"] for call in aside.meta["dropped_calls"]] == [True]


def test_a_resume_that_cannot_begin_forgets_nothing(client, script, thread, add_flight, settings):
    did = {"started_calls": ["c1"], "turns": 3, "usage": Usage(100, 50), "input_checked": True}
    add_flight(ask("Go"), ToolCallEntry("c1", "pay", "{}"), **did)
    settings.ASSISTANTS = []
    assert recover(client, thread, "resume").status_code == 200
    ended(thread)
    head = flight_of(thread).head
    assert (head.status, {name: getattr(head, name) for name in did}) == ("failed", did)
    recover(client, thread, "keep")
    assert [call["started"] for call in segments(thread)[0].meta["dropped_calls"]] == [True]


@pytest.mark.only("inprocess")  # with workers it is no run of the web process
def test_what_comes_after_the_shutdown_is_handed_over_at_once(client, script, thread, make_thread):
    script(text("Fine."), text("Still here."))
    own, earlier = executor.get(), make_thread(title="Earlier")
    send(client, earlier, "Go")
    until(lambda: segments(earlier))
    asyncio.run_coroutine_threadsafe(own.shutdown(0), own._loop).result(20)
    answer = send(client, thread, "Are you there?")
    until(lambda: not flight_of(thread).live)
    run = flight_of(thread)
    assert (answer.status_code, run.run_id) == (200, answer.json()["run_id"])
    assert (run.live, run.lease_owner, own.live_run_ids) == (False, None, [])
    own.is_stopping = False  # the next process
    assert [orphan.run_id for orphan in checkpoints.orphans()] == [run.run_id]
    recover(client, thread, "resume")
    ended(thread)
    assert said(thread.session_id) == ["Are you there?", "Still here."]


@pytest.mark.parametrize("action", ["resume", "keep", "discard"])
def test_nothing_to_recover_is_409(client, script, thread, add_run, action):
    add_run(ask("First"))
    answer = recover(client, thread, action)
    assert (answer.status_code, set(answer.json())) == (409, {"error", "hint"})
    assert said(thread.session_id) == ["First"]


@pytest.mark.parametrize("action", ["resume", "keep", "discard"])
def test_a_live_run_is_nothing_to_recover(client, script, thread, action):
    script(hangs("So far"))
    run_id = send(client, thread, "Go").json()["run_id"]
    until(lambda: shown(thread) == "So far")
    assert recover(client, thread, action).status_code == 409
    assert (flight_of(thread).run_id, flight_of(thread).live) == (run_id, True)


@pytest.mark.parametrize("action", ["", "undo"])
def test_an_unknown_action_is_400(client, script, thread, add_flight, action):
    add_flight(ask("Go"))
    assert recover(client, thread, action).status_code == 400


def test_a_second_click_finds_nothing(client, script, thread, add_flight):
    add_flight(ask("Go"))
    assert [recover(client, thread, "keep").status_code for _ in range(2)] == [200, 409]


# who may


def test_a_strangers_thread_is_not_there(client_for, stranger, script, thread, add_flight):
    run_id = add_flight(ask("Go"))
    assert recover(client_for(stranger), thread, "discard").status_code == 404
    assert flight_of(thread).run_id == run_id


def test_without_login_it_is_401_or_the_login_page(anonymous, thread):
    assert recover(anonymous, thread, "keep").status_code == 401
    assert recover(anonymous, thread, "keep", how=PAGE).status_code == 302


def test_other_methods_are_refused(client, thread):
    assert client.get(f"/threads/{thread.id}/recover/", **DATA).status_code == 405


def test_a_result_whose_save_and_end_failed_is_kept_by_the_next_try(client, script, thread, monkeypatch):
    """The database is away for the save of a result and for the engine's own end, and back for the last."""
    ran, failed = [], []

    @tool
    def pay() -> str:
        """Pays."""
        ran.append(1)
        return "paid"

    attempt = RunWrite.attempt

    def away(write):
        if ran and len(failed) < 6:  # three of each
            failed.append(1)
            raise OperationalError("away")
        attempt(write)

    monkeypatch.setattr("chatapp.eventlog.log.ATTEMPT_PAUSES", (0, 0))
    monkeypatch.setattr(RunWrite, "attempt", away)
    script(call("pay"), text("Done."), tools=[pay])
    send(client, thread, "Pay")
    ended(thread)
    run = flight_of(thread)
    assert (len(failed), (run.head.error or {}).get("type")) == (6, "StorageError")
    recover(client, thread, "resume")
    ended(thread)
    assert (ran, said(thread.session_id)) == ([1], ["Pay", None, None, "Done."])  # the call and its result


async def test_once_the_answer_before_it_goes_on_pages_hear_that_nothing_holds_the_queue(
    client, script, thread, add_flight
):
    script(text("The whole answer."))
    await in_thread(add_flight, ask("Go"), frames=[HALF])
    await in_thread(QueuedMessage.objects.create, thread=thread, position=1, run_id="next", content="x")
    async with watching(client, thread.id) as page:
        assert (await page.frame())["queue"]["held"] == "interrupted"
        await in_thread(recover, client, thread, "resume")
        frames = await page.until("queue")
        assert (frames[-1]["held"], [message["text"] for message in frames[-1]["messages"]]) == (None, ["x"])
        await in_thread(ended, thread)
