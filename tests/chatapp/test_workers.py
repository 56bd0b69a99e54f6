"""RUN_EXECUTOR=procrastinate: runs that wait, workers that take them, jobs that come twice or never."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.db import ProgrammingError, connection
from django.utils import timezone
from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django import Settings

from agents.models import Checkpoint
from agents.stores.orm import checkpoints
from agents.stores.orm.transactions import writing
from agents.testing import ScriptedProvider, text
from chatapp import executor, services
from chatapp.eventlog import last_seq
from chatapp.executor import reaper
from chatapp.executor.deferring import DRIVE_RUN, defer, defer_lost
from chatapp.executor.procrastinate import ProcrastinateExecutor
from chatapp.executor.worker import connector
from chatapp.lifecycle import RunJob, take
from chatapp.lifecycle.ownership import QUEUED_OWNER
from chatapp.lifecycle.room import has_room
from chatapp.models import Thread
from chatapp.services import settling
from tests.chatapp.conftest import flight_of, said, segments, until
from tests.chatapp.scripted import helper
from tests.workers import worker_here

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.runs]


@pytest.fixture(autouse=True)
def _no_jobs_of_other_tests(transactional_db: None) -> None:
    """procrastinate's tables are no models that Django empties."""
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE procrastinate_jobs, procrastinate_workers CASCADE")


@pytest.fixture
def provider(settings: Settings) -> ScriptedProvider:
    """What the assistant says. There is no worker but where a test starts one."""
    settings.ASSISTANTS = ["tests.chatapp.scripted:helper"]
    helper.model = provider = ScriptedProvider([text("three"), text("four")])
    helper.tools = []
    return provider


@pytest.fixture
def run_id(provider: ScriptedProvider, thread: Thread) -> str:
    """A run that waits for a worker."""
    return services.send(thread, "How much is it?").run_id


def jobs() -> list[tuple[str, str]]:
    """Run id and status of all jobs."""
    rows = ProcrastinateJob.objects.filter(task_name=DRIVE_RUN).order_by("id")
    return list(rows.values_list("args__run_id", "status"))


def set_job(status: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE procrastinate_jobs SET status = %s, worker_id = NULL", [status])


def expire(run_id: str) -> None:
    past = timezone.now() - timedelta(seconds=1)
    Checkpoint.objects.filter(run_id=run_id).update(lease_expires_at=past)


def look_after_jobs() -> None:
    from chatapp.executor.tasks import look_after_jobs as task

    async def once() -> None:
        with app.replace_connector(connector()):
            async with app.open_async():
                await task(SimpleNamespace(app=app), timestamp=0)

    asyncio.run(once())


def test_a_run_that_waits_is_live_and_has_a_job(thread: Thread, run_id: str) -> None:
    run = flight_of(thread)
    assert (run.live, run.lease_owner, run.head.status) == (True, QUEUED_OWNER, "running")
    assert jobs() == [(run_id, "todo")]


def test_run_and_job_are_stored_together_or_not_at_all(thread: Thread, provider: ScriptedProvider) -> None:
    with suppress(ZeroDivisionError), writing():
        services.send(thread, "How much is it?")
        assert len(jobs()) == 1
        raise ZeroDivisionError
    assert jobs() == []
    assert checkpoints.in_flight(thread.session_id) is None


def test_a_worker_drives_what_waited_for_it(thread: Thread, run_id: str) -> None:
    with worker_here():
        until(lambda: said(thread.session_id) == ["How much is it?", "three"])
        until(lambda: jobs() == [])


def test_the_job_of_a_worker_is_what_a_resume_in_the_process_would_drive(thread: Thread, run_id: str) -> None:
    assert take(run_id) == RunJob(
        thread_id=thread.id,
        owner_id=thread.owner_id,
        run_id=run_id,
        fence=2,
        assistant="helper",
        model="",
        stored=1,
        next_seq=last_seq(thread.id, run_id) + 1,
    )
    assert flight_of(thread).lease_owner == checkpoints.process_owner()


def test_a_run_is_taken_once(thread: Thread, run_id: str) -> None:
    assert take(run_id) is not None
    assert take(run_id) is None
    assert take("nobody's") is None


def test_a_job_that_comes_twice_does_no_harm(thread: Thread, run_id: str, provider: ScriptedProvider) -> None:
    defer(run_id)
    defer(run_id)
    with worker_here():
        until(lambda: jobs() == [])
    assert said(thread.session_id) == ["How much is it?", "three"]
    assert len(provider.requests) == 1


def test_stop_folds_a_run_that_waits_at_once(
    thread: Thread, run_id: str, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("chatapp.services.settling._is_gone")  # it would wait for an owner
    services.stop(thread)
    assert [segment.meta["status"] for segment in segments(thread)] == ["stopped"]
    with worker_here():
        until(lambda: jobs() == [])
    assert provider.requests == []
    assert said(thread.session_id) == ["How much is it?"]


def test_a_run_that_was_taken_is_its_workers_to_fold_unless_that_is_deaf(
    monkeypatch: pytest.MonkeyPatch, thread: Thread, run_id: str
) -> None:
    monkeypatch.setattr(settling, "STOP_SECONDS", 0.3)
    take(run_id)
    started = time.monotonic()
    services.stop(thread)
    assert time.monotonic() - started > 0.3
    assert [segment.meta["status"] for segment in segments(thread)] == ["stopped"]


def test_a_message_behind_a_waiting_run_is_queued(thread: Thread, run_id: str) -> None:
    assert services.send(thread, "And now?").queued
    assert len(jobs()) == 1
    with worker_here():
        until(lambda: said(thread.session_id)[2:] == ["And now?", "four"])


def test_deleted_while_it_waits_it_is_driven_by_nobody(
    thread: Thread, run_id: str, provider: ScriptedProvider
) -> None:
    services.delete(thread)
    with worker_here():
        until(lambda: jobs() == [])
    assert provider.requests == []


def test_however_long_it_waits_it_looks_like_no_crash(thread: Thread, run_id: str) -> None:
    expire(run_id)
    reaper.keep_waiting_runs_live()
    reaper.look_after_orphans(executor.get())
    run = flight_of(thread)
    assert (run.live, run.auto_resumes, len(jobs())) == (True, 0, 1)


def test_an_interrupted_run_waits_for_a_worker_when_it_is_resumed(thread: Thread, run_id: str) -> None:
    take(run_id)
    expire(run_id)
    services.recover(thread, "resume")
    assert flight_of(thread).lease_owner == QUEUED_OWNER
    assert jobs() == [(run_id, "todo")] * 2
    with worker_here():
        until(lambda: said(thread.session_id) == ["How much is it?", "three"])


def test_the_reaper_sends_what_a_dead_worker_left_to_the_others(thread: Thread, run_id: str) -> None:
    take(run_id)
    expire(run_id)
    reaper.look_after_orphans(executor.get())
    run = flight_of(thread)
    assert (run.lease_owner, run.live, run.auto_resumes) == (QUEUED_OWNER, True, 1)
    assert len(jobs()) == 2


def test_waiting_for_a_worker_is_not_a_lack_of_room(settings: Settings, thread: Thread, run_id: str) -> None:
    settings.MAX_RUNS = 1
    assert has_room(thread.owner_id)
    settings.MAX_RUNS_PER_USER = 1
    assert not has_room(thread.owner_id)


@pytest.mark.parametrize("status", ["failed", "cancelled", "aborted"])
def test_a_run_whose_job_is_lost_gets_another(run_id: str, status: str) -> None:
    set_job(status)
    defer_lost()
    assert jobs() == [(run_id, status), (run_id, "todo")]
    defer_lost()
    assert len(jobs()) == 2


def test_jobs_of_dead_workers_go_to_others(run_id: str) -> None:
    set_job("doing")
    look_after_jobs()
    assert jobs() == [(run_id, "todo")]


def test_a_worker_that_is_stopping_gives_its_job_back(thread: Thread, run_id: str) -> None:
    with worker_here():
        until(lambda: jobs() == [])
    stopping = ProcrastinateExecutor()
    stopping.is_stopping = True
    asyncio.run(stopping.work_off("r"))
    assert jobs() == [("r", "todo")]


def test_a_failing_defer_raises_what_the_database_has_raised(
    thread: Thread, provider: ScriptedProvider
) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE procrastinate_jobs RENAME TO elsewhere")
    try:
        with pytest.raises(ProgrammingError):
            services.send(thread, "How much is it?")
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE elsewhere RENAME TO procrastinate_jobs")
    assert checkpoints.in_flight(thread.session_id) is None
