"""What is read of the event log: parts of it, and how little that costs; what is swept."""

from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.checkpoint import RunHead
from agents.stores.orm import checkpoints
from chatapp.eventlog import Frame, is_known, last_seq, partial_text, read_after, record, tail
from chatapp.executor.reaper import EVENTS_KEPT, sweep
from chatapp.models import RunEvent, Thread

pytestmark = pytest.mark.django_db


def say(thread: Thread, run_id: str, *texts: str, index: int, stored: int, withdrawn: bool = False) -> None:
    """One row."""
    frames: list[Frame] = [{"type": "text_withdrawn"}] if withdrawn else []
    frames += [{"type": "text_delta", "index": index, "text": text} for text in texts]
    record(thread.id, run_id, frames, stored=stored)


def texts_of(frames):
    return [frame.get("text", frame["type"]) for frame in frames]


def test_reading_goes_on_in_the_middle_of_a_row(thread: Thread) -> None:
    say(thread, "r", "a", "b", "c", index=1, stored=1)
    say(thread, "r", "d", index=1, stored=1)
    assert texts_of(read_after(thread.id, "r", 1)) == ["b", "c", "d"]
    assert texts_of(read_after(thread.id, "r", 3)) == ["d"]
    assert read_after(thread.id, "r", 4) == []
    assert texts_of(read_after(thread.id, "r", 0)) == ["a", "b", "c", "d"]


def test_a_client_goes_on_where_the_log_still_has_what_follows(thread: Thread) -> None:
    say(thread, "r", "a", "b", index=1, stored=1)
    assert last_seq(thread.id, "r") == 2
    assert [is_known(thread.id, "r", after) for after in (-1, 0, 2, 3)] == [False, True, True, False]
    assert not is_known(thread.id, "other", 0)


def test_the_tail_begins_behind_what_is_stored(thread: Thread) -> None:
    say(thread, "r", "stored", index=1, stored=1)
    say(thread, "r", "shown", index=2, stored=2)
    assert texts_of(tail(thread.id, "r", 2)) == ["shown"]
    assert texts_of(tail(thread.id, "r", 1)) == ["stored", "shown"]


def test_text_that_was_withdrawn_does_not_come_back_when_what_replaced_it_is_stored(thread: Thread) -> None:
    say(thread, "r", "first try", index=2, stored=1)
    say(thread, "r", "second", index=1, stored=1, withdrawn=True)
    assert partial_text(tail(thread.id, "r", 1), 1) == "second"
    assert partial_text(tail(thread.id, "r", 2), 2) == ""


@pytest.mark.parametrize(
    "damage", ['[{"type": "text_del', "[5]", "{}", '[{"type": "text_delta", "seq": null}]']
)
def test_a_damaged_row_is_left_out_and_told_of(
    thread: Thread, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    if connection.vendor == "postgresql" and damage.endswith("del"):
        damage = '"torn"'  # it keeps no JSON that is none
    for text in "abc":
        say(thread, "r", text, index=1, stored=1)
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA ignore_check_constraints = 1")
        cursor.execute("UPDATE chatapp_runevent SET frames = %s WHERE first_seq = 2", [damage])
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA ignore_check_constraints = 0")
    assert texts_of(read_after(thread.id, "r", 0)) == ["a", "c"]
    assert texts_of(tail(thread.id, "r", 1)) == ["a", "c"]
    assert [record.args for record in caplog.records] == [("r 2",)] * 2


@pytest.mark.only("sqlite")  # plans of small tables say nothing on Postgres
def test_a_read_costs_the_same_at_any_length(thread: Thread) -> None:
    with CaptureQueriesContext(connection) as queries:
        last_seq(thread.id, "r")
        read_after(thread.id, "r", 299)
        tail(thread.id, "r", 2)
    for query in queries.captured_queries:
        plan = plan_of(query["sql"])
        assert "SEARCH" in plan
        assert "TEMP B-TREE" not in plan


def plan_of(sql: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        return " ".join(str(row) for row in cursor.fetchall())


def test_what_is_older_than_an_hour_is_swept_unless_its_run_goes_on(thread: Thread) -> None:
    live, ended, fresh = (str(uuid4()) for _ in range(3))
    checkpoints.start(live, thread.session_id, [], RunHead(agent_name="helper"), owner="us:1:x")
    for run_id in (live, ended, fresh):
        say(thread, run_id, "a", index=1, stored=1)
    RunEvent.objects.update(created_at=timezone.now() - 2 * EVENTS_KEPT)
    say(thread, fresh, "just now", index=1, stored=1)
    sweep()
    assert set(RunEvent.objects.values_list("run_id", flat=True)) == {live, fresh}
