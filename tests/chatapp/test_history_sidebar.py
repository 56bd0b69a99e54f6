"""The list of threads: order, marks, pages, and what it costs."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from chatapp.history.cursor import BadCursor
from chatapp.history.sidebar import load_sidebar, recent
from chatapp.models import Thread
from tests.chatapp.conftest import ask

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def many(user):
    """Makes threads of the user, a minute apart, the newest last."""

    def make(count):
        moments = [NOW + timedelta(minutes=number) for number in range(count)]
        Thread.objects.bulk_create(
            Thread(owner=user, title=f"Chat {number}", updated_at=at, seen_at=at)
            for number, at in enumerate(moments)
        )

    return make


def rows_of(sidebar):
    return [row for group in sidebar.groups for row in group.rows]


def marks(user, **how):
    return {row.title: row.state for row in rows_of(load_sidebar(user, **how))}


def test_the_newest_comes_first(user, many):
    many(3)
    assert [row.title for row in rows_of(load_sidebar(user))] == ["Chat 2", "Chat 1", "Chat 0"]


def test_only_ones_own_are_listed(stranger, many):
    many(3)
    assert rows_of(load_sidebar(stranger)) == []


def test_the_marks_tell_how_a_thread_stands(user, make_thread, add_flight):
    add_flight(ask(), to=make_thread(title="live"), live=True)
    add_flight(ask(), to=make_thread(title="broken"))
    add_flight(ask(), to=make_thread(title="failed"), error={"type": "X", "message": "No."})
    make_thread(title="new answer", updated_at=NOW, seen_at=NOW - timedelta(seconds=1))
    make_thread(title="old", updated_at=NOW, seen_at=NOW)
    assert marks(user) == {
        "Tax": "idle",
        "live": "live",
        "broken": "interrupted",
        "failed": "failed",
        "new answer": "unread",
        "old": "idle",
    }


def test_the_open_thread_is_marked_and_never_unread(user, make_thread):
    thread = make_thread(updated_at=NOW, seen_at=NOW - timedelta(seconds=1))
    (row,) = rows_of(load_sidebar(user, selected=thread.id))
    assert (row.selected, row.state) == (True, "idle")


def test_pages_hold_every_thread_once(user, many):
    many(25)
    Thread.objects.update(updated_at=NOW)  # all at one moment: the id decides
    pages = [load_sidebar(user, limit=10)]
    while pages[-1].before:
        pages.append(load_sidebar(user, limit=10, before=pages[-1].before))
    titles = [row.title for page in pages for row in rows_of(page)]
    assert [len(rows_of(page)) for page in pages] == [10, 10, 5]
    assert sorted(titles) == sorted(f"Chat {number}" for number in range(25))


@pytest.mark.parametrize("cursor", ["x", "~", "2026-03-10~x", "9999-99-99~", "0001-01-01T00:00:00+23:59~"])
def test_a_cursor_that_was_never_given_out_is_refused(user, cursor):
    with pytest.raises(BadCursor):
        load_sidebar(user, before=cursor)


def test_ten_thousand_threads_cost_two_queries_and_a_page_of_rows(user, many):
    many(10_000)
    with CaptureQueriesContext(connection) as queries:
        sidebar = load_sidebar(user)
    assert (len(queries), len(rows_of(sidebar))) == (2, 100)


def test_the_index_gives_the_order(user, many):
    many(2_000)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE chatapp_thread")
    plans = [
        recent(user.pk)[:101].explain(),
        recent(user.pk, before=load_sidebar(user).before)[:101].explain(),
    ]
    for plan in plans:
        assert "thread_owner_recent" in plan
        assert "TEMP B-TREE" not in plan
        assert "Sort" not in plan
