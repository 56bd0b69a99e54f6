"""POST /threads/ and POST /threads/<id>/messages/."""

from uuid import uuid4

import pytest
from django.test import Client

from agents.stores.orm import checkpoints
from agents.testing import hangs, text
from agents.transcript import AssistantTextEntry, InputEntry
from chatapp.models import Thread
from tests.chatapp.conftest import DATA, PAGE, ask, ended, flight_of, said, segments, shown, until


def send(client, thread, **fields):
    return client.post(f"/threads/{thread.id}/messages/", {"text": "And now?"} | fields, **DATA)


# a new thread


def test_a_first_message_makes_a_thread_and_is_answered(client, script, user):
    script(text("Six."))
    answer = client.post("/threads/", {"text": "2 * 3?"})
    thread = Thread.objects.get()
    assert (answer.status_code, answer["Location"]) == (303, f"/threads/{thread.id}/")
    ended(thread)
    assert said(thread.session_id) == ["2 * 3?", "Six."]
    assert (thread.owner, thread.title, thread.assistant) == (user, "2 * 3?", "helper")


def test_the_pages_own_script_gets_the_address_as_data(client, script):
    script(text("Six."))
    headers = {"accept": "application/json", "x-requested-with": "fetch"}
    answer = client.post("/threads/", {"text": "2 * 3?"}, headers=headers)
    assert (answer.status_code, answer.json()["url"]) == (201, f"/threads/{Thread.objects.get().id}/")


def test_the_same_client_id_is_the_same_thread(client, script):
    script(text("Six."))
    fields = {"text": "2 * 3?", "client_id": str(uuid4())}
    places = {client.post("/threads/", fields)["Location"] for _ in range(3)}
    assert places == {f"/threads/{Thread.objects.get().id}/"}


def test_a_new_thread_of_an_unknown_assistant_is_refused(client, script):
    answer = client.post("/threads/", {"text": "Hello", "assistant": "nobody"}, **DATA)
    assert 400 <= answer.status_code < 500
    assert not Thread.objects.exists()


# a message in a thread


def test_a_message_is_stored_and_answered(client, script, thread):
    script(text("Fine."))
    answer = send(client, thread)
    assert answer.status_code == 200
    assert answer.json()["thread"] == str(thread.id)
    ended(thread)
    assert said(thread.session_id) == ["And now?", "Fine."]
    assert segments(thread)[0].run_id == answer.json()["run_id"]


def test_the_run_names_its_model_from_the_start(client, script, thread):
    script(hangs("So far"))
    send(client, thread)
    assert flight_of(thread).head.model == "scripted"


def test_a_plain_form_goes_back_to_the_thread(client, script, thread):
    script(text("Fine."))
    answer = client.post(f"/threads/{thread.id}/messages/", {"text": "And now?"}, **PAGE)
    assert (answer.status_code, answer["Location"]) == (303, f"/threads/{thread.id}/")


def test_the_same_client_id_again_changes_nothing(client, script, thread):
    provider = script(text("Fine."))
    client_id = str(uuid4())
    runs = {send(client, thread, client_id=client_id).json()["run_id"] for _ in range(5)}
    ended(thread)
    assert len(runs) == len(provider.requests) == len(segments(thread)) == 1


def test_the_same_client_id_is_known_whatever_text_comes_with_it(client, script, thread):
    script(text("Fine."))
    client_id = str(uuid4())
    first = send(client, thread, client_id=client_id)
    ended(thread)
    again = send(client, thread, client_id=client_id, text=" ")
    assert (again.status_code, again.json()) == (200, first.json())


def test_a_new_thread_is_known_whatever_text_comes_with_its_client_id(client, script):
    script(text("Six."))
    client_id = str(uuid4())
    first = client.post("/threads/", {"text": "2 * 3?", "client_id": client_id}, **DATA)
    again = client.post("/threads/", {"text": "", "client_id": client_id}, **DATA)
    assert (again.status_code, again["Location"]) == (303, first["Location"])
    ended(Thread.objects.get())


def test_a_client_id_of_another_thread_is_refused(client, script, thread, make_thread):
    provider = script(text("Fine."))
    other, client_id = make_thread(title="Other"), str(uuid4())
    send(client, thread, client_id=client_id)
    ended(thread)
    fields = {"text": "To the other", "client_id": client_id}
    for path in (f"/threads/{other.id}/messages/", f"/threads/{other.id}/regenerate/", "/threads/"):
        answer = client.post(path, fields, **DATA)
        assert (answer.status_code, bool(answer.json()["error"])) == (409, True), path
    assert len(provider.requests) == 1
    assert not segments(other)


def test_while_an_answer_is_written_a_message_is_queued(client, script, thread):
    script(hangs("So far"))
    client_id = str(uuid4())
    first = send(client, thread, client_id=client_id)
    until(lambda: shown(thread) == "So far")
    answer = send(client, thread, text="Another")
    assert (answer.status_code, answer.json()["queued"]) == (200, True)
    assert said(thread.session_id) == []
    # … and the repeated one is known before anything else is looked at
    assert send(client, thread, client_id=client_id).json() == first.json()


@pytest.mark.parametrize("blank", ["", "   ", "\n\t\n"])
def test_a_blank_message_is_refused(client, script, thread, blank):
    answer = send(client, thread, text=blank)
    assert (answer.status_code, bool(answer.json()["error"])) == (400, True)
    assert checkpoints.in_flight(thread.session_id) is None


def test_a_message_may_have_a_million_characters_and_no_more(client, script, thread):
    script(text("Long."))
    assert send(client, thread, text="語" * 1_000_001).status_code == 400
    assert send(client, thread, text="語" * 1_000_000).status_code == 200
    ended(thread)
    assert len(said(thread.session_id)[0]) == 1_000_000


def test_a_client_id_that_is_no_uuid_is_refused(client, script, thread):
    assert send(client, thread, client_id="x").status_code == 400


def test_text_is_stored_as_typed_but_for_what_cannot_be_stored(client, script, thread):
    script(text("Fine."))
    send(client, thread, text="  a\r\nb\x00c \u202eright 👍  ")
    ended(thread)
    assert said(thread.session_id)[0] == "  a\nb\ufffdc \u202eright 👍  "


def test_half_a_character_in_the_form_is_no_500(client, script, thread):
    script(text("Fine."))
    url, form = f"/threads/{thread.id}/messages/", "application/x-www-form-urlencoded"
    answer = client.post(url, "text=half+%ED%A0%BD+%00+bytes+%FF", content_type=form, **DATA)
    assert answer.status_code == 200
    ended(thread)
    assert "\x00" not in said(thread.session_id)[0]


def test_a_message_after_a_crash_keeps_the_interrupted_turn(client, script, thread, add_flight):
    script(text("Fine."))
    shown_before = {"type": "text_delta", "index": 1, "text": "Half an ans"}
    add_flight(ask("First"), frames=[shown_before])
    send(client, thread)
    ended(thread)
    first, second = segments(thread)
    assert first.entries == [InputEntry("user", "First"), AssistantTextEntry("Half an ans", partial=True)]
    assert (first.meta["status"], second.meta["status"]) == ("interrupted", "completed")


# who may


def test_a_strangers_thread_is_not_there(client_for, stranger, script, thread):
    assert send(client_for(stranger), thread).status_code == 404
    assert checkpoints.in_flight(thread.session_id) is None


def test_without_login_nothing_happens(anonymous, script, thread):
    assert send(anonymous, thread).status_code == 401
    answer = anonymous.post(f"/threads/{thread.id}/messages/", {"text": "x"}, **PAGE)
    assert (answer.status_code, answer["Location"].startswith("/accounts/login/")) == (302, True)
    assert anonymous.post("/threads/", {"text": "x"}, **DATA).status_code == 401


@pytest.mark.parametrize("method", ["get", "put", "delete"])
def test_other_methods_are_refused(client, thread, method):
    for url in ("/threads/", f"/threads/{thread.id}/messages/"):
        answer = getattr(client, method)(url, **DATA)
        assert (answer.status_code, answer["Allow"]) == (405, "POST")


def test_a_form_without_its_token_is_refused(user, thread):
    client = Client(enforce_csrf_checks=True)
    client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
    assert send(client, thread).status_code == 403
