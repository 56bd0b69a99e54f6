"""The empty page, a thread's page, and the pieces that scripts fetch."""

import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from agents.transcript import AssistantTextEntry, ToolCallEntry, ToolResultEntry
from chatapp.history import records
from chatapp.models import Thread
from tests.chatapp.conftest import DATA, PAGE, ask

pytestmark = pytest.mark.django_db(transaction=True)


def html_of(answer):
    assert answer.status_code == 200
    return answer.content.decode()


def attribute(html, name):
    found = re.search(rf'id="conversation"[^>]*{name}="([^"]*)"', html)
    return found.group(1) if found else None


def turns_in(html):
    return re.findall(r'<article[^>]*data-run="([^"]+)"', html)


# the empty page


def test_the_empty_page_has_a_composer_examples_and_the_chats(client, thread):
    html = html_of(client.get("/"))
    assert 'action="/threads/"' in html
    assert "What shall we work on?" in html
    assert f'data-thread="{thread.id}"' in html


def test_a_stranger_sees_none_of_them(strangers, thread):
    assert str(thread.id) not in html_of(strangers.get("/"))


# a thread


def test_the_page_shows_messages_answers_and_steps(client, thread, add_run):
    call, result = ToolCallEntry("c1", "lookup", '{"word": "x"}'), ToolResultEntry("c1", "found it")
    add_run(ask("How <much>?"), call, result, AssistantTextEntry("**Six** & more"))
    html = html_of(client.get(f"/threads/{thread.id}/"))
    for words in ("How &lt;much&gt;?", "<strong>Six</strong> &amp; more", "lookup", "found it"):
        assert words in html


def test_the_page_names_the_state_that_it_shows(client, thread, add_flight):
    frames = [{"type": "text_delta", "index": 1, "text": "So far"}]
    run_id = add_flight(ask(), frames=frames, live=True)
    html = html_of(client.get(f"/threads/{thread.id}/"))
    assert (attribute(html, "data-run"), attribute(html, "data-after")) == (run_id, "2")
    assert attribute(html, "data-status") == "running"
    assert "So far" in html


def test_the_page_shows_the_last_turns_and_where_older_ones_are(client, thread, add_run):
    runs = [add_run(ask(f"Question {number}"), AssistantTextEntry("Yes.")) for number in range(records.PAGE)]
    html = html_of(client.get(f"/threads/{thread.id}/"))
    assert turns_in(html) == runs[records.PAGE // 2 :]
    cursor = re.search(r"turns/\?before=([^\"&]+)", html)
    assert cursor
    older = html_of(client.get(f"/threads/{thread.id}/turns/?before={cursor.group(1)}"))
    assert turns_in(older) == runs[: records.PAGE // 2]


@pytest.mark.parametrize("head", [{}, {"error": {"type": "X", "message": "No quota."}}])
def test_an_open_end_offers_what_can_be_done(client, thread, add_flight, head):
    add_flight(ask(), **head)
    html = html_of(client.get(f"/threads/{thread.id}/"))
    assert 'data-action="discard"' in html
    assert ("No quota." in html) is bool(head)


# the pieces


def test_one_turn(client, thread, add_run):
    runs = [add_run(ask(f"Question {number}"), AssistantTextEntry("Yes.")) for number in range(2)]
    html = html_of(client.get(f"/threads/{thread.id}/turns/{runs[0]}/"))
    assert turns_in(html) == [runs[0]]
    assert "<html" not in html
    assert client.get(f"/threads/{thread.id}/turns/{uuid4()}/").status_code == 404


def test_the_conversation_alone(client, thread, add_run):
    run_id = add_run(ask())
    html = html_of(client.get(f"/threads/{thread.id}/conversation/"))
    assert (turns_in(html), "<html" in html) == ([run_id], False)


def test_the_list_of_chats_alone(client, thread):
    html = html_of(client.get(f"/sidebar/?thread={thread.id}"))
    assert 'aria-current="page"' in html
    assert "<html" not in html
    assert 'aria-current="page"' not in html_of(client.get("/sidebar/?thread=x"))


@pytest.mark.parametrize("url", ["/threads/{id}/turns/?before=x", "/sidebar/?before=x"])
def test_a_cursor_that_was_never_given_out_is_400(client, thread, url):
    answer = client.get(url.format(id=thread.id), **DATA)
    assert (answer.status_code, set(answer.json())) == (400, {"error", "hint"})


# what has been seen


@pytest.fixture
def unread(thread):
    Thread.objects.update(updated_at=timezone.now(), seen_at=timezone.now() - timedelta(minutes=1))
    return thread


def is_unread(thread):
    thread.refresh_from_db()
    return thread.seen_at < thread.updated_at


def test_a_look_at_an_answer_marks_it_as_seen(client, unread, add_run):
    add_run(ask())
    client.get(f"/threads/{unread.id}/")
    assert not is_unread(unread)


def test_a_look_while_it_is_written_does_not(client, unread, add_flight):
    add_flight(ask(), live=True)
    client.get(f"/threads/{unread.id}/")
    assert is_unread(unread)


# who may

URLS = ["/threads/{id}/", "/threads/{id}/turns/", "/threads/{id}/turns/{run}/", "/threads/{id}/conversation/"]


@pytest.mark.parametrize("url", URLS)
def test_a_strangers_thread_is_not_there(strangers, thread, add_run, url):
    path = url.format(id=thread.id, run=add_run(ask()))
    assert strangers.get(path, **PAGE).status_code == 404
    answer = strangers.get(path, **DATA)
    assert (answer.status_code, set(answer.json())) == (404, {"error", "hint"})


@pytest.mark.parametrize("url", ["/", "/sidebar/", *URLS])
def test_without_login_it_is_the_login_page_or_401(anonymous, thread, url):
    path = url.format(id=thread.id, run="x")
    assert anonymous.get(path, **PAGE)["Location"].startswith("/accounts/login/")
    assert anonymous.get(path, **DATA).status_code == 401
    assert anonymous.get(path, headers={"accept": "text/html", "hx-request": "true"}).status_code == 401


@pytest.mark.parametrize("piece", ["turns", "steps"])
def test_an_id_that_no_run_can_have_is_404_without_a_query(client, thread, piece, django_assert_num_queries):
    with django_assert_num_queries(0):
        answer = client.get(f"/threads/{thread.id}/{piece}/a%00b/", **DATA)
    assert answer.status_code == 404


@pytest.mark.parametrize("url", ["/", "/sidebar/", *URLS])
def test_other_methods_are_refused(client, thread, url):
    assert client.post(url.format(id=thread.id, run="x"), **DATA).status_code == 405


@pytest.mark.parametrize("url", ["/threads/no-uuid/", "/threads/{id}/requests/1/"])
def test_unknown_addresses_are_404(client, thread, url):
    answer = client.post(url.format(id=thread.id), **DATA)
    assert (answer.status_code, set(answer.json())) == (404, {"error", "hint"})


def test_nobody_keeps_a_copy(client, thread):
    assert "no-cache" in client.get(f"/threads/{thread.id}/export.json")["Cache-Control"]
