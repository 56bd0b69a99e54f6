"""POST …/delete/: ends a live run first, and leaves no row."""

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db.models import Model

from agents.stores.orm import checkpoints
from agents.testing import hangs, text
from agents.transcript import AssistantTextEntry
from chatapp import services
from chatapp.models import Thread
from tests.chatapp.conftest import DATA, PAGE, ask, ended, send, shown, until


def delete(client, thread, how=DATA):
    return client.post(f"/threads/{thread.id}/delete/", **how)


def rows() -> dict[type[Model], int]:
    models = [*apps.get_app_config("agents").get_models(), *apps.get_app_config("chatapp").get_models()]
    return {model: count for model in models if (count := model._default_manager.count())}


def test_delete_leaves_no_row(client, script, thread):
    script(text("One."), text("Two."))
    run_id = send(client, thread, "First").json()["run_id"]
    ended(thread)
    client.post(f"/threads/{thread.id}/edit/", {"ref": f"{run_id}:0", "text": "Better"}, **DATA)
    ended(thread)
    answer = delete(client, thread)
    assert (answer.status_code, answer.json()["url"]) == (200, "/")
    assert rows() == {}


def test_delete_ends_a_live_run(client, script, thread):
    provider = script(hangs("So far"))
    send(client, thread, "Go")
    until(lambda: shown(thread) == "So far")
    assert delete(client, thread).status_code == 200
    until(lambda: provider.open_streams == 0)
    assert rows() == {}


def test_delete_of_an_interrupted_thread_leaves_others_alone(
    client, thread, make_thread, add_run, add_flight
):
    other = make_thread(title="Stays")
    add_run(ask("Here"), AssistantTextEntry("Yes."), to=other)
    add_flight(ask("Go"))
    delete(client, thread)
    assert list(Thread.objects.all()) == [other]
    assert sorted(model.__name__ for model in rows()) == ["Entry", "Segment", "Thread"]


@pytest.mark.parametrize("delete_all", [lambda user: user.delete(), lambda user: user.threads.all().delete()])
def test_a_delete_past_the_command_ends_a_live_run_too(client, script, thread, user, delete_all):
    script(text("One."), text("Two."))
    run_id = send(client, thread, "First").json()["run_id"]
    ended(thread)
    client.post(f"/threads/{thread.id}/edit/", {"ref": f"{run_id}:0", "text": "Better"}, **DATA)
    ended(thread)
    provider = script(hangs("So far"))
    send(client, thread, "Go")
    until(lambda: shown(thread) == "So far")
    delete_all(user)
    until(lambda: provider.open_streams == 0)
    assert rows() == {}


def test_a_thread_that_comes_while_its_user_is_deleted_goes_too(script, thread, user, monkeypatch):
    provider, late, in_flight = script(hangs()), [True], checkpoints.in_flight

    def meanwhile(session_id):
        if late and late.pop():
            services.new_thread(user, "Late")
            assert not User.objects.get(pk=user.pk).is_active
        return in_flight(session_id)

    monkeypatch.setattr(checkpoints, "in_flight", meanwhile)
    services.delete_user(user)
    until(lambda: provider.open_streams == 0)
    assert not User.objects.exists()
    assert rows() == {}


def test_a_second_delete_finds_nothing(client, thread):
    assert [delete(client, thread).status_code for _ in range(2)] == [200, 404]


def test_a_plain_form_goes_to_the_empty_page(client, thread):
    answer = delete(client, thread, how=PAGE)
    assert (answer.status_code, answer["Location"]) == (303, "/")


def test_a_strangers_thread_is_not_there(client_for, stranger, thread):
    assert delete(client_for(stranger), thread).status_code == 404
    assert Thread.objects.exists()


def test_without_login_it_is_401_or_the_login_page(anonymous, thread):
    assert delete(anonymous, thread).status_code == 401
    assert delete(anonymous, thread, how=PAGE).status_code == 302
    assert Thread.objects.exists()


def test_other_methods_are_refused(client, thread):
    assert client.get(f"/threads/{thread.id}/delete/", **DATA).status_code == 405


pytestmark = pytest.mark.django_db(transaction=True)
