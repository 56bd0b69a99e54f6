"""POST …/rename/."""

import pytest

from tests.chatapp.conftest import DATA, PAGE

pytestmark = pytest.mark.django_db(transaction=True)


def rename(client, thread, title, how=DATA):
    return client.post(f"/threads/{thread.id}/rename/", {"title": title}, **how)


def test_a_thread_gets_the_title_that_was_typed(client, thread):
    answer = rename(client, thread, "  Steuer\n2026 ")
    thread.refresh_from_db()
    assert (answer.status_code, answer.json()["title"]) == (200, "Steuer 2026")
    assert (thread.title, thread.title_source) == ("Steuer 2026", "user")


def test_a_new_title_does_not_move_the_thread_up(client, thread):
    before = thread.updated_at
    rename(client, thread, "Other")
    thread.refresh_from_db()
    assert thread.updated_at == before


def test_what_cannot_be_stored_is_replaced(client, thread):
    assert rename(client, thread, "a\x00b").json()["title"] == "a\ufffdb"


@pytest.mark.parametrize("title", ["", "  ", "x" * 81])
def test_a_title_that_is_none_is_refused(client, thread, title):
    assert rename(client, thread, title).status_code == 400
    thread.refresh_from_db()
    assert thread.title == "Tax"


def test_eighty_characters_are_fine(client, thread):
    assert rename(client, thread, "語" * 80).status_code == 200


def test_a_plain_form_goes_back_to_the_thread(client, thread):
    assert rename(client, thread, "Other", how=PAGE)["Location"] == f"/threads/{thread.id}/"


def test_a_strangers_thread_is_not_there(client_for, stranger, thread):
    assert rename(client_for(stranger), thread, "Mine").status_code == 404
    thread.refresh_from_db()
    assert thread.title == "Tax"


def test_without_login_it_is_401(anonymous, thread):
    assert rename(anonymous, thread, "Mine").status_code == 401


def test_other_methods_are_refused(client, thread):
    assert client.get(f"/threads/{thread.id}/rename/", **DATA).status_code == 405
