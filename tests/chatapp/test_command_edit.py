"""POST …/edit/ and …/regenerate/: the tail is set aside, a new run answers."""

from uuid import uuid4

import pytest

from agents.stores.orm import sessions
from agents.testing import hangs, text
from agents.transcript import AssistantTextEntry, InputEntry, Part
from chatapp.models import Revision
from tests.chatapp.conftest import DATA, PAGE, ask, ended, flight_of, said, segments, send, shown, until

FIRST = (ask("First"), AssistantTextEntry("One."))
SECOND = (ask("Second"), AssistantTextEntry("Two."))


def edit(client, thread, ref, text="Better", how=DATA, **fields):
    return client.post(f"/threads/{thread.id}/edit/", {"ref": ref, "text": text} | fields, **how)


def regenerate(client, thread, how=DATA, **fields):
    return client.post(f"/threads/{thread.id}/regenerate/", fields, **how)


@pytest.fixture
def runs(add_run):
    return add_run(*FIRST), add_run(*SECOND)


# edit


def test_edit_replaces_the_message_and_all_after_it(client, script, thread, runs):
    script(text("New."))
    answer = edit(client, thread, f"{runs[0]}:0")
    ended(thread)
    assert (answer.status_code, said(thread.session_id)) == (200, ["Better", "New."])
    assert answer.json()["run_id"] == segments(thread)[0].run_id


def test_what_was_edited_away_is_kept(client, script, thread, runs):
    script(text("New."))
    edit(client, thread, f"{runs[1]}:0")
    ended(thread)
    assert said(thread.session_id) == ["First", "One.", "Better", "New."]
    revision = Revision.objects.get()
    assert (revision.reason, sessions.load(revision.cut_id)) == ("edit", list(SECOND))


def test_attachments_stay(client, script, thread, add_run):
    script(text("New."))
    file: Part = {"type": "file", "url": "/files/1", "mime_type": "text/plain", "name": "a.txt"}
    run_id = add_run(InputEntry("user", [{"type": "text", "text": "Read."}, file]))
    edit(client, thread, f"{run_id}:0")
    ended(thread)
    assert said(thread.session_id)[0] == [{"type": "text", "text": "Better"}, file]


def test_edit_ends_a_live_run_first(client, script, thread):
    script(hangs("So far"), text("New."))
    run_id = send(client, thread, "Go").json()["run_id"]
    until(lambda: shown(thread) == "So far")
    assert edit(client, thread, f"{run_id}:0").status_code == 200
    ended(thread)
    assert said(thread.session_id) == ["Better", "New."]
    assert said_in_revision() == ["Go", "So far"]


def said_in_revision():
    return said(Revision.objects.get().cut_id)


def test_the_same_client_id_again_changes_nothing(client, script, thread, runs):
    script(text("New."))
    fields = {"client_id": str(uuid4())}
    answers = [edit(client, thread, f"{runs[0]}:0", **fields) for _ in range(3)]
    ended(thread)
    assert len({answer.json()["run_id"] for answer in answers}) == 1
    assert (said(thread.session_id), Revision.objects.count()) == (["Better", "New."], 1)


@pytest.mark.parametrize(
    "ref", ["{run}:1", "{run}:7", "gone:0", "{run}", "{run}:", "{run}:-1", "{run}:x", "", ":0", "{run}:²"]
)
def test_a_ref_that_names_no_message_changes_nothing(client, script, thread, runs, ref):
    answer = edit(client, thread, ref.format(run=runs[0]))
    assert (answer.status_code, set(answer.json())) == (409, {"error", "hint"})
    assert said(thread.session_id) == ["First", "One.", "Second", "Two."]


def test_a_stale_ref_stops_nothing(client, script, thread):
    script(hangs("So far"))
    send(client, thread, "Go")
    until(lambda: shown(thread) == "So far")
    assert edit(client, thread, "gone:0").status_code == 409
    assert flight_of(thread).live


def test_a_ref_of_another_thread_is_stale_here(client, script, thread, make_thread, add_run):
    other = make_thread()
    run_id = add_run(*FIRST, to=other)
    add_run(*FIRST)
    assert edit(client, thread, f"{run_id}:0").status_code == 409
    assert said(other.session_id) == ["First", "One."]


@pytest.mark.parametrize("blank", ["", " \n"])
def test_a_blank_text_changes_nothing(client, script, thread, runs, blank):
    assert edit(client, thread, f"{runs[0]}:0", text=blank).status_code == 400
    assert said(thread.session_id) == ["First", "One.", "Second", "Two."]


# regenerate


def test_regenerate_answers_the_last_message_again(client, script, thread, runs):
    script(text("Other."))
    assert regenerate(client, thread).status_code == 200
    ended(thread)
    assert said(thread.session_id) == ["First", "One.", "Second", "Other."]
    assert said_in_revision() == ["Second", "Two."]


def test_regenerate_of_an_interrupted_answer(client, script, thread, add_flight):
    script(text("Other."))
    add_flight(ask("Go"), frames=[{"type": "text_delta", "index": 1, "text": "Half"}])
    assert regenerate(client, thread).status_code == 200
    ended(thread)
    assert said(thread.session_id) == ["Go", "Other."]
    assert said_in_revision() == ["Go", "Half"]


def test_regenerate_twice_with_one_client_id_is_once(client, script, thread, runs):
    provider = script(text("Other."))
    client_id = str(uuid4())
    assert len({regenerate(client, thread, client_id=client_id).json()["run_id"] for _ in range(3)}) == 1
    ended(thread)
    assert len(provider.requests) == 1


def test_there_is_nothing_to_regenerate_in_an_empty_thread(client, script, thread):
    assert regenerate(client, thread).status_code == 409


# who may


def test_a_strangers_thread_is_not_there(client_for, stranger, script, thread, runs):
    other = client_for(stranger)
    assert edit(other, thread, f"{runs[0]}:0").status_code == 404
    assert regenerate(other, thread).status_code == 404
    assert said(thread.session_id) == ["First", "One.", "Second", "Two."]


def test_without_login_it_is_401_or_the_login_page(anonymous, script, thread, runs):
    assert edit(anonymous, thread, f"{runs[0]}:0").status_code == 401
    assert regenerate(anonymous, thread).status_code == 401
    assert regenerate(anonymous, thread, how=PAGE).status_code == 302


@pytest.mark.parametrize("name", ["edit", "regenerate"])
def test_other_methods_are_refused(client, thread, name):
    assert client.get(f"/threads/{thread.id}/{name}/", **DATA).status_code == 405
