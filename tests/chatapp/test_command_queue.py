"""POST …/queue/ and …/queue/<id>/: messages that were sent while an answer was being written."""

from uuid import uuid4

import pytest

from agents.testing import fails, hangs, text
from chatapp import executor, services
from chatapp.executor.advance import advance_all
from chatapp.models import QueuedMessage
from tests.chatapp.conftest import DATA, ask, ended, said, segments, shown, until


@pytest.fixture
def busy(client, script, thread):
    """A thread whose run is live and has shown some text; two messages wait behind it."""
    script(hangs("So far"), text("Second."), text("Third."))
    send(client, thread, "One")
    until(lambda: shown(thread) == "So far")
    send(client, thread, "Two")
    send(client, thread, "Three")
    return thread


def send(client, thread, words, **fields):
    return client.post(f"/threads/{thread.id}/messages/", {"text": words} | fields, **DATA)


def post(client, thread, path, **fields):
    return client.post(f"/threads/{thread.id}/queue/{path}", fields, **DATA)


def queue(client, thread):
    exported = client.get(f"/threads/{thread.id}/export.json").json()["queue"]
    return exported["held"], [message["text"] for message in exported["messages"]]


def first_id(thread):
    return thread.queue.first().id


def test_messages_wait_in_order_and_are_answered_one_after_the_other(client, script, thread):
    script(text("First."), text("Second."), text("Third."))
    for words in ("One", "Two", "Three"):
        assert send(client, thread, words).status_code == 200
    until(lambda: len(segments(thread)) == 3)
    assert said(thread.session_id) == ["One", "First.", "Two", "Second.", "Three", "Third."]


def test_the_queue_is_in_the_export(client, busy):
    assert queue(client, busy) == (None, ["Two", "Three"])


def test_the_same_client_id_waits_once_and_runs_once(client, script, thread):
    script(hangs("So far"), text("Second."))
    send(client, thread, "One")
    until(lambda: shown(thread) == "So far")
    client_id = str(uuid4())
    answers = [send(client, thread, "Two", client_id=client_id).json() for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]
    assert queue(client, thread) == (None, ["Two"])
    client.post(f"/threads/{thread.id}/stop/", **DATA)
    post(client, thread, "", action="go_on")
    ended(thread)
    assert segments(thread)[1].run_id == answers[0]["run_id"]


def test_a_stop_holds_the_queue_until_the_user_says_go_on(client, busy):
    client.post(f"/threads/{busy.id}/stop/", **DATA)
    assert queue(client, busy) == ("stopped", ["Two", "Three"])
    assert post(client, busy, "", action="go_on").status_code == 200
    until(lambda: len(segments(busy)) == 3)
    assert said(busy.session_id) == ["One", "So far", "Two", "Second.", "Three", "Third."]


def test_a_new_message_after_a_stop_joins_the_end_and_the_first_one_starts(client, busy):
    client.post(f"/threads/{busy.id}/stop/", **DATA)
    assert send(client, busy, "Four").json()["queued"] is True
    until(lambda: len(segments(busy)) >= 3)
    assert [line for line in said(busy.session_id) if line in ("Two", "Three", "Four")][:2] == [
        "Two",
        "Three",
    ]


def test_a_queue_behind_a_failed_run_is_held(client, script, thread):
    script(fails(ValueError("no")), text("Second."))
    send(client, thread, "One")
    QueuedMessage.objects.create(thread=thread, position=1, run_id="r2", content="Two")
    until(lambda: queue(client, thread)[0] == "failed")
    assert queue(client, thread) == ("failed", ["Two"])
    post(client, thread, "", action="go_on")
    until(lambda: len(segments(thread)) == 2)
    assert [segment.meta["status"] for segment in segments(thread)] == ["failed", "completed"]


def test_keeping_an_interrupted_answer_does_not_start_what_waits(client, script, thread, add_flight):
    script(text("Second."))
    add_flight(ask("One"))
    QueuedMessage.objects.create(thread=thread, position=1, run_id="r2", content="Two")
    client.post(f"/threads/{thread.id}/recover/", {"action": "keep"}, **DATA)
    assert queue(client, thread) == ("interrupted", ["Two"])


def test_a_queued_message_can_be_changed(client, busy):
    assert post(client, busy, f"{first_id(busy)}/", text="Two, again").status_code == 200
    assert queue(client, busy) == (None, ["Two, again", "Three"])


def test_a_queued_message_can_be_withdrawn_and_its_text_comes_back(client, busy):
    answer = post(client, busy, f"{first_id(busy)}/", action="withdraw")
    assert (answer.status_code, answer.json()["text"]) == (200, "Two")
    assert queue(client, busy) == (None, ["Three"])


def test_what_is_not_waiting_any_more_is_refused(client, busy):
    gone = first_id(busy)
    post(client, busy, f"{gone}/", action="withdraw")
    assert post(client, busy, f"{gone}/", action="withdraw").status_code == 409
    assert post(client, busy, f"{gone}/", text="x").status_code == 409


def test_what_is_not_understood_is_refused(client, busy):
    assert post(client, busy, f"{first_id(busy)}/", text=" ").status_code == 400
    assert post(client, busy, f"{first_id(busy)}/", action="burn").status_code == 400
    assert post(client, busy, "", action="burn").status_code == 400


def test_go_on_starts_nothing_while_a_run_is_live(client, busy):
    assert post(client, busy, "", action="go_on").status_code == 200
    assert queue(client, busy) == (None, ["Two", "Three"])


def test_above_the_limit_of_a_user_a_new_thread_waits(client, script, user, settings):
    script(hangs("So far"), text("Second."))
    settings.MAX_RUNS_PER_USER = 1
    first = services.new_thread(user, "One")
    until(lambda: shown(first) == "So far")
    second = services.new_thread(user, "Two")
    assert queue(client, second) == ("limit", ["Two"])
    services.stop(first)
    advance_all(executor.get())
    until(lambda: len(segments(second)) == 1)
    assert said(second.session_id) == ["Two", "Second."]


def test_an_edit_does_not_let_the_queue_overtake_it(client, busy, script):
    script(text("First."), text("Second."), text("Third."))
    run_id = client.get(f"/threads/{busy.id}/export.json").json()["in_flight"]["run_id"]
    edited = client.post(f"/threads/{busy.id}/edit/", {"ref": f"{run_id}:0", "text": "One!"}, **DATA)
    assert edited.status_code == 200
    until(lambda: len(segments(busy)) == 3)
    assert said(busy.session_id) == ["One!", "First.", "Two", "Second.", "Three", "Third."]


def test_delete_leaves_nothing_of_the_queue(client, busy):
    client.post(f"/threads/{busy.id}/delete/", **DATA)
    assert not QueuedMessage.objects.exists()


# who may


def test_a_strangers_queue_is_not_there(client, strangers, busy):
    before = queue(client, busy)
    assert post(strangers, busy, "", action="go_on").status_code == 404
    assert post(strangers, busy, f"{first_id(busy)}/", action="withdraw").status_code == 404
    assert queue(client, busy) == before


def test_nobody_gets_at_a_queue_without_a_login(anonymous, busy):
    assert post(anonymous, busy, "", action="go_on").status_code == 401
    assert post(anonymous, busy, f"{first_id(busy)}/", action="withdraw").status_code == 401


def test_the_queue_takes_posts_only(client, busy):
    assert client.get(f"/threads/{busy.id}/queue/", **DATA).status_code == 405
    assert client.get(f"/threads/{busy.id}/queue/{first_id(busy)}/", **DATA).status_code == 405


@pytest.mark.parametrize(("most", "of"), [("QUEUE_MESSAGES", 2), ("QUEUE_CHARACTERS", 10)])
def test_a_queue_that_is_full_takes_nothing_more_and_loses_nothing(client, busy, monkeypatch, most, of):
    monkeypatch.setattr(f"chatapp.services.queueing.{most}", of)
    answer = send(client, busy, "Four")
    assert answer.status_code == 409
    assert answer.json() == {
        "error": "Too much is waiting in this chat already.",
        "hint": "Wait for the next answer, or withdraw a message that waits.",
    }
    assert queue(client, busy) == (None, ["Two", "Three"])
    post(client, busy, f"{first_id(busy)}/", action="withdraw")
    assert send(client, busy, "Four").status_code == 200
    assert queue(client, busy) == (None, ["Three", "Four"])


def test_an_edit_may_not_fill_it_either(client, busy, monkeypatch):
    monkeypatch.setattr("chatapp.services.queueing.QUEUE_CHARACTERS", 10)
    assert post(client, busy, f"{first_id(busy)}/", text="Longer").status_code == 409
    assert post(client, busy, f"{first_id(busy)}/", text="Short").status_code == 200
    assert queue(client, busy) == (None, ["Short", "Three"])
