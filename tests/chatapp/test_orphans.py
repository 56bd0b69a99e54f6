"""Runs without an owner, and queues that may go on: one that is hopeless keeps no other waiting."""

import pytest

from agents.checkpoint import RunHead
from agents.stores.orm import checkpoints
from agents.transcript import ToolCallEntry
from chatapp import executor
from chatapp.executor import reaper
from chatapp.lifecycle import queue
from chatapp.lifecycle.folding import last_turn
from chatapp.lifecycle.queue import waiting_thread_ids
from chatapp.models import QueuedMessage
from tests.chatapp.conftest import ask, flight_of
from tests.chatapp.watching import in_thread, watching

pytestmark = pytest.mark.django_db(transaction=True)


def orphaned(thread, *entries, **head):
    """A run whose owner vanished while it was running."""
    given = RunHead(agent_name="helper", session_id=thread.session_id, **head)
    run_id = f"run-{thread.id}"
    fence = checkpoints.start(run_id, thread.session_id, list(entries), given, owner="gone:1:x")
    checkpoints.release(run_id, fence, head=given)


def test_one_orphan_that_cannot_be_decided_about_keeps_no_other_from_it(make_thread, monkeypatch, script):
    bad, good = make_thread(title="bad"), make_thread(title="good")
    look_after = reaper.look_after

    def fails_for_one(running, thread):
        if thread.pk == bad.pk:
            raise ValueError("damaged")
        look_after(running, thread)

    monkeypatch.setattr(reaper, "look_after", fails_for_one)  # before a worker's own reaper finds them
    for thread in (bad, good):
        orphaned(thread, ask(), ToolCallEntry("c1", "pay", "{}"), started_calls=["c1"])
    reaper.look_after_orphans(executor.get())
    assert [flight_of(thread).head.status for thread in (bad, good)] == ["running", "interrupted"]


async def test_pages_hear_that_the_queue_is_held_by_an_answer_whose_owner_is_gone(client, script, thread):
    head = RunHead(agent_name="helper", session_id=thread.session_id, started_calls=["c1"])
    log = [ask(), ToolCallEntry("c1", "pay", "{}")]
    fence = await in_thread(checkpoints.start, "r", thread.session_id, log, head, owner="gone:1:x")
    await in_thread(wait_in, thread)
    async with watching(client, thread.id) as page:
        assert (await page.frame())["queue"]["held"] is None
        await in_thread(checkpoints.release, "r", fence, head=head)
        await in_thread(reaper.look_after_orphans, executor.get())  # or it was another process's reaper
        assert (await page.until("queue"))[-1]["held"] == "interrupted"


def test_an_interrupted_run_does_not_tell_the_reason_of_an_earlier_failure(thread, script):
    error = {"type": "ProviderError", "message": "too many requests"}
    orphaned(thread, ask(), ToolCallEntry("c1", "pay", "{}"), started_calls=["c1"], error=error)
    reaper.look_after_orphans(executor.get())
    run = flight_of(thread)
    assert (run.head.status, run.head.error) == ("interrupted", None)


def test_only_leases_of_runs_that_are_driven_are_renewed(thread):
    head = RunHead(agent_name="helper", session_id=thread.session_id)
    checkpoints.start("r", thread.session_id, [ask()], head, owner="us:1:x")
    assert checkpoints.heartbeat("us:1:x", ["another"]) == []
    assert checkpoints.heartbeat("us:1:x", []) == []
    assert [beat.run_id for beat in checkpoints.heartbeat("us:1:x", ["r"])] == ["r"]


def test_queues_behind_a_run_do_not_hide_those_that_may_go_on(make_thread, add_flight):
    stuck, free = make_thread(title="stuck"), make_thread(title="free")
    add_flight(ask(), to=stuck)
    for number in range(3):
        QueuedMessage.objects.create(thread=stuck, position=number, run_id=f"s{number}", content="x")
    QueuedMessage.objects.create(thread=free, position=1, run_id="f", content="x")
    assert waiting_thread_ids(limit=1) == [free.id]


def wait_in(thread):
    QueuedMessage.objects.create(thread=thread, position=1, run_id=f"waits-{thread.id}", content="x")


def test_however_many_are_stuck_those_that_may_go_on_are_found(make_thread, add_flight, monkeypatch):
    monkeypatch.setattr(queue, "LOOKED_AT", 2)
    for number in range(5):
        stuck = make_thread(title=f"stuck {number}")
        add_flight(ask(), to=stuck)
        wait_in(stuck)
    free = make_thread(title="free")
    wait_in(free)
    assert waiting_thread_ids() == [free.id]


def test_one_user_does_not_hide_the_others(make_thread, stranger):
    for number in range(8):
        wait_in(make_thread(title=f"busy {number}"))
    other = make_thread(title="other", owner=stranger)
    wait_in(other)
    assert other.id in waiting_thread_ids(limit=6)


def test_the_last_turn_of_a_run_is_read_whole_however_wide_it_is(thread):
    calls = [ToolCallEntry(f"c{number}", "lookup", "{}") for number in range(900)]
    orphaned(thread, ask(), *calls)
    assert [index for index, _ in last_turn(flight_of(thread))][:3] == [0, 1, 2]


def test_what_an_owner_that_wakes_up_writes_at_the_last_moment_is_decided_on(thread, script, monkeypatch):
    """As on Postgres, where it may come between a look at the run and the lock on it."""
    hold_fences = checkpoints.hold_fences

    def after_a_word(fences):
        monkeypatch.undo()
        ((run_id, fence),) = fences.items()
        failed = RunHead(agent_name="helper", session_id=thread.session_id, status="failed")
        checkpoints.release(run_id, fence, head=failed)
        return hold_fences(fences)

    monkeypatch.setattr(checkpoints, "hold_fences", after_a_word)
    orphaned(thread, ask())
    reaper.look_after_orphans(executor.get())
    assert (flight_of(thread).head.status, flight_of(thread).live) == ("failed", False)
