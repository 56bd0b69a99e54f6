"""Clocks that jump: the database's says whose lease is valid and what is old; a process's says nothing."""

import time
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from agents.models import Checkpoint
from agents.testing import hangs, text
from chatapp import executor
from chatapp.eventlog import last_seq
from chatapp.executor import reaper
from chatapp.models import Receipt, RunEvent, Thread
from tests.chatapp.conftest import DATA, ended, flight_of, segments, send, shown, until

HOURS = [timedelta(hours=5), timedelta(hours=-5)]
DAYS = [timedelta(days=30), timedelta(days=-30)]
Jump = Callable[[timedelta], None]


@pytest.fixture
def jump(monkeypatch) -> Jump:
    """From now on the wall clock of this process is wrong. The database's and the monotonic one are not."""
    now, seconds = timezone.now, time.time

    def jump(by: timedelta) -> None:
        monkeypatch.setattr(timezone, "now", lambda: now() + by)
        monkeypatch.setattr(time, "time", lambda: seconds() + by.total_seconds())

    return jump


def look_around() -> None:
    """What the process does every two seconds and every five minutes, at once."""
    pulse = executor.get()._pulse
    assert pulse is not None
    pulse._beat()
    pulse._swept = -1e9
    pulse._reap()


@pytest.mark.parametrize("by", HOURS, ids=str)
def test_no_live_run_is_lost(client, script, thread, jump, by):
    script(hangs("So far"), text("Fine."))
    run_id = send(client, thread, "Go").json()["run_id"]
    until(lambda: shown(thread) == "So far")
    before = flight_of(thread)
    jump(by)
    look_around()
    after = flight_of(thread)
    assert (after.run_id, after.fence, after.live) == (run_id, before.fence, True)
    assert client.post(f"/threads/{thread.id}/stop/", **DATA).status_code == 200
    assert send(client, thread, "And now?").status_code == 200
    ended(thread)
    assert [segment.meta["status"] for segment in segments(thread)] == ["stopped", "completed"]
    assert client.get(f"/threads/{thread.id}/").status_code == 200
    assert client.get("/sidebar/").status_code == 200


@pytest.mark.parametrize("by", HOURS + DAYS, ids=str)
def test_nothing_is_swept_too_early(client, script, thread, jump, by):
    script(text("Fine."))
    run_id = send(client, thread, "Go", client_id="0f8fad5b-d9cb-469f-a165-70867728950e").json()["run_id"]
    ended(thread)
    jump(by)
    reaper.sweep()
    assert last_seq(thread.id, run_id) > 0
    assert Receipt.objects.count() == 1


@pytest.mark.parametrize("by", HOURS + DAYS, ids=str)
def test_what_is_old_is_swept(client, script, thread, jump, by):
    script(text("Fine."))
    run_id = send(client, thread, "Go", client_id="0f8fad5b-d9cb-469f-a165-70867728950e").json()["run_id"]
    ended(thread)
    RunEvent.objects.update(created_at=Now() - timedelta(hours=1, minutes=1))
    Receipt.objects.update(created_at=Now() - timedelta(days=7, minutes=1))
    jump(by)
    reaper.sweep()
    assert last_seq(thread.id, run_id) == 0
    assert Receipt.objects.count() == 0


def test_a_machine_that_slept_goes_on_with_its_own_runs(client, script, thread):
    """Its leases have run out, and nobody has taken them: to the one who drives them they are no orphans."""
    script(hangs("So far"))
    send(client, thread, "Go")
    until(lambda: shown(thread) == "So far")
    before = flight_of(thread)
    Checkpoint.objects.update(lease_expires_at=Now() - timedelta(hours=5))
    reaper.look_after_orphans(executor.get())
    look_around()
    after = flight_of(thread)
    assert (after.run_id, after.fence, after.live) == (before.run_id, before.fence, True)


@pytest.mark.parametrize("by", HOURS, ids=str)
def test_an_answer_that_was_looked_at_is_read_whatever_the_clock_says(client, script, thread, jump, by):
    Thread.objects.update(updated_at=timezone.now() + timedelta(seconds=1))
    jump(by)
    client.get(f"/threads/{thread.id}/")
    thread.refresh_from_db()
    assert thread.seen_at >= thread.updated_at
