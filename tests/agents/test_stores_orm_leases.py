"""Leases: who may run a run, how long, and how it changes hands."""

import os
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone

from agents.errors import LeaseLost
from agents.models import Checkpoint
from agents.stores.orm import checkpoints, owners, sessions
from agents.stores.orm.checkpoints import LEASE_SECONDS, Beat
from agents.stores.orm.transactions import writing
from tests.agents.orm import ANSWER, DONE, HEAD, INPUT, ME, OTHER, expire, start, steal

pytestmark = pytest.mark.django_db


def lease_left(run_id: str = "r") -> float:
    ends = Checkpoint.objects.get(run_id=run_id).lease_expires_at
    assert ends is not None
    return (ends - timezone.now()).total_seconds()


def test_a_live_run_cannot_be_claimed() -> None:
    start()
    assert checkpoints.claim("r", owner=OTHER) is None
    assert checkpoints.claim("r", owner=ME) is None


def test_a_run_that_is_not_in_flight_cannot_be_claimed() -> None:
    assert checkpoints.claim("nobody", owner=ME, force=True) is None
    checkpoints.finish("r", start(), ANSWER, DONE, meta=None, keep=True)
    assert checkpoints.claim("r", owner=ME, force=True) is None


def test_an_expired_lease_goes_to_the_next_owner_with_a_higher_fence() -> None:
    start()
    expire("r")
    assert checkpoints.claim("r", owner=OTHER) == 2
    run = checkpoints.in_flight("s")
    assert run is not None
    assert (run.lease_owner, run.fence, run.live) == (OTHER, 2, True)
    assert lease_left() == pytest.approx(LEASE_SECONDS, abs=1)


def test_force_takes_a_live_run() -> None:
    start()
    assert checkpoints.claim("r", owner=OTHER, force=True) == 2


def test_a_claimed_run_is_running_again_and_automatic_claims_are_counted() -> None:
    checkpoints.release(
        "r", start(), head=replace(HEAD, status="failed", error={"type": "E"}), handed_over=True
    )
    run = checkpoints.in_flight("s")
    assert run is not None
    assert (run.head.status, run.handed_over, run.live) == ("failed", True, False)
    checkpoints.claim("r", owner=ME, automatic=True)
    expire("r")
    checkpoints.claim("r", owner=ME)
    run = checkpoints.in_flight("s")
    assert run is not None
    assert (run.head.status, run.handed_over, run.auto_resumes) == ("running", False, 1)


def test_a_wish_to_stop_is_told_by_the_next_beat_and_forgotten_by_a_resume() -> None:
    start()
    assert checkpoints.heartbeat(ME) == [Beat("r", 1, stop_requested=False)]
    assert checkpoints.request_stop("r")
    assert checkpoints.request_stop("r")
    assert checkpoints.heartbeat(ME) == [Beat("r", 1, stop_requested=True)]
    assert checkpoints.claim("r", owner=OTHER, force=True) == 2
    assert checkpoints.heartbeat(OTHER) == [Beat("r", 2, stop_requested=True)]
    expire("r")
    checkpoints.claim("r", owner=ME)
    assert checkpoints.heartbeat(ME) == [Beat("r", 3, stop_requested=False)]


def test_there_is_nothing_to_stop_where_nothing_is_in_flight() -> None:
    assert not checkpoints.request_stop("nobody")
    checkpoints.finish("r", start(), ANSWER, DONE, meta=None, keep=True)
    assert not checkpoints.request_stop("r")


def test_a_heartbeat_keeps_all_runs_of_the_owner_and_no_others() -> None:
    for number in range(3):
        start(f"r{number}", f"s{number}", owner=ME if number else OTHER)
        expire(f"r{number}")
    beats = checkpoints.heartbeat(ME)
    assert sorted(beat.run_id for beat in beats) == ["r1", "r2"]
    assert lease_left("r1") == pytest.approx(LEASE_SECONDS, abs=1)
    assert lease_left("r0") < 0


def test_a_run_that_changed_hands_is_missing_in_its_old_owners_beat() -> None:
    start()
    steal("r")
    assert checkpoints.heartbeat(ME) == []


def test_a_save_keeps_the_lease_alive_too() -> None:
    fence = start()
    expire("r")
    checkpoints.append("r", fence, ANSWER, HEAD)
    assert lease_left() == pytest.approx(LEASE_SECONDS, abs=1)


def test_a_released_run_is_free_at_once_and_stays_so_after_a_late_save() -> None:
    fence = start()
    checkpoints.release("r", fence)
    checkpoints.append("r", fence, ANSWER, HEAD)
    assert checkpoints.heartbeat(ME) == []
    assert checkpoints.claim("r", owner=OTHER) == 2


def test_a_beat_that_comes_after_the_release_gives_nobody_a_lease() -> None:
    fence = start()
    checkpoints.beat("r", fence)
    checkpoints.release("r", fence)
    with pytest.raises(LeaseLost):
        checkpoints.beat("r", fence)
    assert Checkpoint.objects.get(run_id="r").lease_expires_at is None


def test_hold_fences_names_the_runs_that_are_still_ours() -> None:
    mine = {f"r{number}": start(f"r{number}", f"s{number}") for number in range(4)}
    steal("r1")
    checkpoints.finish("r2", mine["r2"], [], DONE, meta=None)
    checkpoints.finish("r3", mine["r3"], [], DONE, meta=None, keep=True)
    assert checkpoints.hold_fences(mine) == {"r0"}
    assert checkpoints.hold_fences({}) == set()


def test_orphans_are_the_runs_that_nobody_has_vanished_owners_first() -> None:
    for name in ("live", "vanished", "interrupted", "handed over", "failed", "done"):
        start(name, name)
    expire("vanished")
    stopped = replace(HEAD, status="interrupted")
    checkpoints.release("interrupted", 1, head=stopped)
    checkpoints.release("handed over", 1, head=stopped, handed_over=True)
    checkpoints.release("failed", 1, head=replace(HEAD, status="failed"))
    checkpoints.finish("done", 1, [], DONE, meta=None, keep=True)
    assert [run.run_id for run in checkpoints.orphans()] == ["vanished", "handed over", "interrupted"]
    assert [run.run_id for run in checkpoints.orphans(limit=1)] == ["vanished"]


def test_in_flight_many_answers_for_those_that_have_a_run() -> None:
    start("r1", "s1")
    start("r2", "s2")
    checkpoints.finish("r2", 1, [], DONE, meta=None, keep=True)
    found = checkpoints.in_flight_many(["s1", "s2", "s3"])
    assert {name: run.run_id for name, run in found.items()} == {"s1": "r1"}
    assert checkpoints.in_flight_many([]) == {}
    assert checkpoints.in_flight("s1") == found["s1"] == checkpoints.run_in_flight("r1")
    assert checkpoints.run_in_flight("r2") is None


def test_a_completed_run_that_never_reached_its_session_is_in_flight_until_it_does() -> None:
    fence = start()
    checkpoints.append("r", fence, ANSWER, DONE)
    run = checkpoints.in_flight("s")
    assert run is not None
    assert run.head.status == "completed"
    checkpoints.fold("r", fence, tail=[], drop=[], meta={"status": "completed"})
    assert sessions.load("s") == INPUT + ANSWER


# --- dead owners ---


def test_leases_of_dead_owners_end_at_once() -> None:
    start("r1", "s1", owner="dead")
    start("r2", "s2", owner="dead")
    start("r3", "s3", owner=ME)
    assert checkpoints.expire_dead_owners(lambda owner: owner == "dead") == 2
    assert checkpoints.expire_dead_owners(lambda owner: owner == "dead") == 0
    assert {run.run_id for run in checkpoints.orphans()} == {"r1", "r2"}


def test_the_name_of_a_process_tells_host_and_pid() -> None:
    host, pid, nonce = checkpoints.process_owner().split(":")
    assert (host.partition("@")[0], pid) == (socket.gethostname(), str(os.getpid()))
    assert len(nonce) == 8
    assert checkpoints.process_owner() == checkpoints.process_owner()


def test_which_owners_are_known_to_be_dead() -> None:
    me = checkpoints.process_owner()
    host = me.partition(":")[0]
    earlier = f"{host}:{os.getpid()}:00000000"
    names = [me, earlier, f"{host}:{os.getppid()}:ab", f"{host}:4194304:ab", "elsewhere:4194304:ab", "odd"]
    assert [checkpoints.is_dead_owner(name) for name in names] == [False, True, False, True, False, False]


def test_a_container_of_the_same_hostname_is_another_host(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("ours", "theirs"):
        (tmp_path / name).touch()
    monkeypatch.setattr(owners, "PID_NAMESPACE", tmp_path / "theirs")
    theirs = owners._owner_of.__wrapped__(4194304)  # a number that no process has
    assert checkpoints.is_dead_owner(theirs)
    monkeypatch.setattr(owners, "PID_NAMESPACE", tmp_path / "ours")
    assert not checkpoints.is_dead_owner(theirs)


QUEUE = "queue"  # an owner that is no process


def test_a_lease_is_taken_over_from_the_owner_that_is_named_once() -> None:
    start(owner=QUEUE)
    assert checkpoints.take_over("r", owner=OTHER, from_owner=ME) is None
    assert checkpoints.take_over("r", owner=ME, from_owner=QUEUE) == 2
    assert checkpoints.take_over("r", owner=OTHER, from_owner=QUEUE) is None
    assert [beat.fence for beat in checkpoints.heartbeat(ME)] == [2]
    assert lease_left() == pytest.approx(LEASE_SECONDS, abs=1)


def test_a_finished_run_is_taken_over_by_nobody() -> None:
    checkpoints.finish("r", start(owner=QUEUE), ANSWER, DONE, meta=None, keep=True)
    assert checkpoints.take_over("r", owner=ME, from_owner=QUEUE) is None


def test_anybody_keeps_the_leases_of_an_owner_that_is_no_process_alive() -> None:
    start("ended", "1", owner=QUEUE)
    start("fresh", "2", owner=QUEUE)
    start("another's", "3", owner=ME)
    for run_id in ("ended", "another's"):
        expire(run_id)
    before = Checkpoint.objects.get(run_id="fresh").lease_expires_at
    checkpoints.keep_alive(QUEUE)
    assert lease_left("ended") == pytest.approx(LEASE_SECONDS, abs=1)
    assert Checkpoint.objects.get(run_id="fresh").lease_expires_at == before
    assert lease_left("another's") < 0


def test_the_runs_of_an_owner_are_listed_the_oldest_first() -> None:
    for run_id in ("b", "a"):
        start(run_id, run_id, owner=QUEUE)
    start("c", "c")
    assert checkpoints.owned_by(QUEUE) == ["b", "a"]
    assert checkpoints.owned_by(QUEUE, limit=1) == ["b"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.only("postgres")  # SQLite has one writer: nobody waits in a ring
def test_statements_over_several_runs_lock_them_in_one_order() -> None:
    fences = {run_id: start(run_id, run_id) for run_id in ("b", "a")}  # as they lie in the table
    with ThreadPoolExecutor(1) as other, writing():
        checkpoints.hold_fences({"a": fences["a"]})
        beats = other.submit(in_a_thread, lambda: checkpoints.heartbeat(ME))
        time.sleep(0.3)  # it waits for "a" now, and must not have "b"
        assert checkpoints.hold_fences(fences) == {"a", "b"}
    assert {beat.run_id for beat in beats.result(10)} == {"a", "b"}


def in_a_thread(work):
    try:
        return work()
    finally:
        connection.close()
