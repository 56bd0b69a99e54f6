"""How a run is handed to an executor: with its rows or not at all, and only after the commit."""

from __future__ import annotations

from contextlib import suppress
from uuid import uuid4

import pytest
from django.db import connection

from agents.stores.orm import checkpoints
from agents.stores.orm.transactions import writing
from chatapp import executor
from chatapp.executor.interface import Executor, execute
from chatapp.lifecycle import RunJob, start
from chatapp.lifecycle.ownership import QUEUED_OWNER, owner_of_new_runs
from chatapp.models import Thread

pytestmark = pytest.mark.django_db(transaction=True)

JOB = RunJob(
    thread_id=uuid4(), owner_id=1, run_id="r", fence=1, assistant="helper", model="", stored=1, next_seq=2
)


class Recorder:
    """Tells what was asked of it, and whether that was inside of a transaction."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, bool]] = []

    def prepare(self, job: RunJob) -> None:
        self.calls.append(("prepare", connection.in_atomic_block))

    def submit(self, job: RunJob) -> None:
        self.calls.append(("submit", connection.in_atomic_block))


def test_it_prepares_within_the_transaction_and_submits_after_it() -> None:
    recorder = Recorder()
    with writing():
        execute(recorder, JOB, [])
        assert recorder.calls == [("prepare", True)]
    assert recorder.calls == [("prepare", True), ("submit", False)]


def test_what_is_rolled_back_is_not_submitted() -> None:
    recorder = Recorder()
    with suppress(ZeroDivisionError), writing():
        execute(recorder, JOB, [])
        raise ZeroDivisionError
    assert recorder.calls == [("prepare", True)]


def test_the_configured_executor_is_one() -> None:
    asked: Executor = executor.get()
    assert asked is executor.get()


@pytest.mark.parametrize("choice", ["inprocess", "procrastinate"])
def test_a_new_run_is_this_processs_or_waits_for_a_worker(settings, thread: Thread, choice: str) -> None:
    settings.RUN_EXECUTOR = choice
    owner = QUEUED_OWNER if choice == "procrastinate" else checkpoints.process_owner()
    start(thread, "hello")
    run = checkpoints.in_flight(thread.session_id)
    assert run is not None
    assert (run.lease_owner, run.live) == (owner, True)
    assert owner_of_new_runs() == owner
