"""The operator's view: everything can be read and ended, nothing can be rewritten."""

import pytest
from django.contrib.admin import site
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.models import ArchivedResult, Checkpoint, Entry, Segment
from agents.stores.orm import sessions
from agents.testing import hangs
from agents.transcript import AssistantTextEntry, ToolCallEntry, ToolResultEntry
from chatapp.history.records import PAGE
from chatapp.models import Thread
from tests.chatapp.conftest import ask, flight_of, segments, send, shown, until

THREADS = "/admin/chatapp/thread/"
RUNS = "/admin/agents/checkpoint/"

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def admin(client_for, operator):
    return client_for(operator)


def html_of(answer):
    assert answer.status_code == 200
    return answer.content.decode()


def act(admin, url, action, *ids, **more):
    fields = {"action": action, "_selected_action": [str(id_) for id_ in ids]} | more
    return admin.post(url, fields, follow=True)


def cost(admin, url):
    with CaptureQueriesContext(connection) as queries:
        html_of(admin.get(url))
    return len(queries)


# threads


def test_the_list_tells_owner_status_and_counts(admin, thread, add_run, add_flight):
    add_run(ask(), AssistantTextEntry("Yes."))
    add_flight(ask())
    html = html_of(admin.get(THREADS))
    for name, value in (("owner", "owner"), ("status", "interrupted"), ("turns", "2"), ("entries", "3")):
        assert f'class="field-{name}' in html
        assert f">{value}<" in html


def test_the_list_costs_the_same_for_one_thread_and_for_fifty(admin, make_thread, add_run, add_flight):
    add_flight(ask(), live=True)
    few = cost(admin, THREADS)
    for _ in range(49):
        other = make_thread()
        add_run(ask(), to=other)
        add_flight(ask(), to=other)
    assert cost(admin, THREADS) == few


def test_a_thread_reads_as_a_conversation_with_its_json_beside(admin, thread, add_run, add_flight):
    call, result = ToolCallEntry("c1", "lookup", '{"word": "x"}'), ToolResultEntry("c1", "found it")
    add_run(ask("How?"), call, result, AssistantTextEntry("**Six**"), status="completed")
    run_id = add_flight(ask("And?"), frames=[{"type": "text_delta", "index": 1, "text": "Half an ans"}])
    html = html_of(admin.get(f"{THREADS}{thread.id}/change/"))
    for words in (
        "How?",
        "<strong>Six</strong>",
        "Half an ans",
        run_id,
        "&quot;type&quot;: &quot;tool_call&quot;",
    ):
        assert words in html
    assert html.count('data-place="segment"') == html.count('data-place="checkpoint"') == 1


def test_a_long_thread_is_read_page_by_page(admin, thread, add_run):
    for number in range(PAGE):
        add_run(ask(f"Question {number}."), AssistantTextEntry("Yes."))
    newest = f"Question {PAGE - 1}."
    html = html_of(admin.get(f"{THREADS}{thread.id}/change/"))
    assert (newest in html, "Question 0." in html) == (True, False)
    before = sessions.page(thread.session_id, limit=PAGE).before
    assert f"?before={before}" in html
    assert "Question 0." in html_of(admin.get(f"{THREADS}{thread.id}/change/?before={before}"))
    assert newest in html_of(admin.get(f"{THREADS}{thread.id}/change/?before=x"))


def test_a_record_shows_long_texts_whole(admin, thread, add_run):
    add_run(
        ask("\n".join(f"Line {number}." for number in range(50))),
        ToolCallEntry("c1", "look", "{}"),
        ToolResultEntry("c1", "\n".join(f"Found {number}." for number in range(50))),
    )
    html = html_of(admin.get(f"{THREADS}{thread.id}/change/"))
    assert ("Line 49." in html, "Found 49." in html) == (True, True)
    assert ("data-folded" in html, 'data-action="unfold"' in html) == (False, False)


def test_a_damaged_record_is_named(admin, thread, add_run):
    add_run(ask("Here"), AssistantTextEntry("Gone"))
    record = Entry.objects.filter(type="assistant_text").get()
    Entry.objects.filter(pk=record.pk).update(data="{")
    html = html_of(admin.get(f"{THREADS}{thread.id}/change/"))
    assert "Here" in html
    assert f"&quot;record&quot;: {record.pk}" in html


# runs in flight


def test_runs_in_flight_are_listed_with_thread_owner_and_state(admin, thread, add_run, add_flight):
    done = add_run(ask())
    run_id = add_flight(ask(), live=True)
    html = html_of(admin.get(RUNS))
    assert (run_id in html, done in html) == (True, False)
    for value in ("Tax", "owner", "running", "elsewhere:1:x"):
        assert f">{value}<" in html


def test_the_runs_cost_the_same_for_one_and_for_fifty(admin, make_thread, add_flight):
    add_flight(ask(), live=True)
    few = cost(admin, RUNS)
    for _ in range(49):
        add_flight(ask(), to=make_thread())
    assert cost(admin, RUNS) == few


def test_a_run_is_read_in_its_thread(admin, thread, add_flight):
    run_id = add_flight(ask())
    assert admin.get(f"{RUNS}{run_id}/change/")["Location"] == f"{THREADS}{thread.id}/change/"
    assert admin.get(f"{RUNS}gone/change/")["Location"] == RUNS


def test_a_run_of_another_program_is_listed_too(admin, add_flight):
    from agents.checkpoint import RunHead
    from agents.stores.orm import checkpoints

    checkpoints.start("r1", "cli session", [ask()], RunHead(agent_name="x"), owner="elsewhere:1:x")
    assert "cli session" in html_of(admin.get(RUNS))


# what can be done


def test_stop_keeps_the_text(admin, client, script, thread):
    script(hangs("So far"))
    send(client, thread, "Go")
    until(lambda: shown(thread) == "So far")
    act(admin, THREADS, "stop", thread.id)
    (segment,) = segments(thread)
    assert (segment.meta["status"], segment.entries[-1].content) == ("stopped", "So far")


@pytest.mark.parametrize("url", [THREADS, RUNS])
def test_keep_folds_what_was_interrupted(admin, thread, add_flight, url):
    run_id = add_flight(ask("Go"))
    act(admin, url, "keep", thread.id if url == THREADS else run_id)
    assert [segment.meta["status"] for segment in segments(thread)] == ["interrupted"]


def test_delete_leaves_no_row(admin, thread, add_run, add_flight):
    add_run(ask())
    add_flight(ask(), live=True)
    asked = act(admin, THREADS, "delete_selected", thread.id)
    assert "Tax" in html_of(asked)
    act(admin, THREADS, "delete_selected", thread.id, post="yes")
    for model in (Thread, Segment, Entry, Checkpoint):
        assert not model.objects.exists()


def test_one_thread_can_be_deleted_from_its_page(admin, thread, add_run):
    add_run(ask())
    admin.post(f"{THREADS}{thread.id}/delete/", {"post": "yes"})
    assert not Thread.objects.exists()
    assert not Entry.objects.exists()


def test_with_a_user_go_their_histories(admin, user, thread, add_run):
    add_run(ask())
    admin.post(f"/admin/auth/user/{user.pk}/delete/", {"post": "yes"})
    assert not User.objects.filter(pk=user.pk).exists()
    assert not Entry.objects.exists()


# what cannot be done


@pytest.mark.parametrize("model", [Entry, Segment, ArchivedResult])
def test_rows_of_the_engine_have_no_form(model):
    assert not site.is_registered(model)


def test_nothing_is_added_or_changed(admin, thread, add_flight):
    run_id = add_flight(ask())
    assert admin.get(f"{THREADS}add/").status_code == 403
    assert admin.get(f"{RUNS}add/").status_code == 403
    assert admin.post(f"{THREADS}{thread.id}/change/", {"title": "Mine"}).status_code == 403
    assert admin.post(f"{RUNS}{run_id}/delete/", {"post": "yes"}).status_code == 403
    thread.refresh_from_db()
    assert (thread.title, flight_of(thread).run_id) == ("Tax", run_id)


def test_who_may_only_look_gets_no_actions(client_for, make_user, thread, add_flight):
    add_flight(ask())
    viewer = make_user("viewer", is_staff=True)
    viewer.user_permissions.add(Permission.objects.get(codename="view_thread"))
    html = html_of(client_for(viewer).get(THREADS))
    assert 'value="keep"' not in html
    act(client_for(viewer), THREADS, "keep", thread.id)
    assert segments(thread) == []


def test_users_have_no_admin(client, thread):
    assert client.get(THREADS).status_code == 302
