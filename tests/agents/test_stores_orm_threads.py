"""Several threads at once, and tasks that are cancelled while a write goes on."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from django.db import OperationalError, connections

from agents.errors import AgentsError, LeaseLost, RunInFlight, StorageError, UserError
from agents.models import Checkpoint
from agents.models import Entry as EntryRow
from agents.stores.orm import checkpoints, sessions, transactions
from agents.stores.orm.threads import THREADS, DatabaseThreads, close_connections, in_thread
from agents.transcript import AssistantTextEntry, Entry
from tests.agents.orm import ANSWER, DONE, HEAD, expire, indexes, start, stored

pytestmark = pytest.mark.django_db(transaction=True, available_apps=["agents"])

CROWD = 8


def together(*calls: Callable[[], object]) -> list[object]:
    """Runs them in threads that begin at once; what each returned or, of our own errors, raised."""
    everybody = threading.Barrier(len(calls))

    def run(call: Callable[[], object]) -> object:
        everybody.wait(timeout=10)
        try:
            return call()
        except AgentsError as error:
            return error
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def test_of_many_starts_in_a_session_one_wins_and_the_others_are_told_by_whom() -> None:
    answers = together(*[partial(start, f"r{n}") for n in range(CROWD)])
    refused = [answer for answer in answers if isinstance(answer, RunInFlight)]
    winner = f"r{answers.index(1)}"
    assert [error.run_id for error in refused] == [winner] * (CROWD - 1)
    assert stored() == (1, 0, 1, 0)


def test_of_many_claims_of_an_orphan_one_wins() -> None:
    start()
    expire("r")
    answers = together(*[partial(checkpoints.claim, "r", owner=f"o{n}") for n in range(CROWD)])
    assert sorted(str(answer) for answer in answers) == sorted(["2"] + ["None"] * (CROWD - 1))


def test_of_many_finishes_one_wins() -> None:
    start()
    answers = together(*[partial(checkpoints.finish, "r", 1, ANSWER, DONE, meta=None) for _ in range(CROWD)])
    assert sum(isinstance(answer, LeaseLost) for answer in answers) == CROWD - 1
    assert stored() == (0, 1, 2, 0)


def test_of_many_cuts_at_one_entry_one_wins() -> None:
    sessions.append_segment("s", ANSWER * 4, run_id="r")
    answers = together(*[partial(sessions.cut, "s", "r", 2) for _ in range(CROWD)])
    assert sum(isinstance(answer, UserError) for answer in answers) == CROWD - 1
    assert (sessions.count_entries("s"), EntryRow.objects.count()) == (2, 4)


def test_runs_of_different_sessions_do_not_hold_each_other_up() -> None:
    def whole_run(n: int) -> None:
        fence = start(f"r{n}", f"s{n}")
        for _ in range(10):
            checkpoints.append(f"r{n}", fence, ANSWER * 2, HEAD)
        checkpoints.finish(f"r{n}", fence, ANSWER, DONE, meta=None)

    answers = together(*[partial(whole_run, n) for n in range(CROWD)])
    assert answers == [None] * CROWD
    assert [sessions.count_entries(f"s{n}") for n in range(CROWD)] == [22] * CROWD


def test_an_old_and_a_new_owner_never_interleave() -> None:
    for attempt in range(5):
        run_id = f"r{attempt}"
        start(run_id, run_id)
        together(partial(_write_on, run_id, 1, "old"), partial(_take, run_id))
        run = checkpoints.in_flight(run_id)
        assert run is not None
        written = [_content(entry) for entry in checkpoints.run_entries(run.log)[1:]]
        assert written == sorted(written, reverse=True)  # "old" before "new"
        assert written[-5:] == ["new"] * 5
        assert indexes(run.log) == list(range(run.next_index))


def test_nothing_is_left_of_a_session_that_is_deleted_while_it_is_written() -> None:
    for attempt in range(5):
        run_id = f"r{attempt}"
        start(run_id)
        answers = together(partial(_write_on, run_id, 1, "x"), partial(sessions.delete_session, "s"))
        assert isinstance(answers[0], LeaseLost)
        assert stored() == (0, 0, 0, 0)


def test_a_finish_and_a_takeover_end_in_one_of_the_two() -> None:
    for attempt in range(10):
        run_id = f"r{attempt}"
        start(run_id, run_id)
        finished, fence = together(
            partial(checkpoints.finish, run_id, 1, ANSWER, DONE, meta=None),
            partial(checkpoints.claim, run_id, owner="other", force=True),
        )
        assert isinstance(finished, LeaseLost) == (fence == 2)
        assert Checkpoint.objects.filter(run_id=run_id).exists() == (fence == 2)
        assert sessions.count_entries(run_id) == (0 if fence == 2 else 2)


# --- cancelled tasks ---


async def test_a_write_that_has_begun_is_awaited_by_a_task_that_is_cancelled() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def hold() -> None:
        begun.set()
        assert go_on.wait(10)

    task = asyncio.create_task(in_thread(_start_holding, hold))
    await asyncio.to_thread(begun.wait, 10)
    for _ in range(3):
        task.cancel()
        await asyncio.sleep(0.01)
    assert not task.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await in_thread(stored) == (1, 0, 1, 0)


async def test_a_write_that_has_not_begun_is_dropped_by_a_cancel() -> None:
    go_on = threading.Event()
    busy = [asyncio.create_task(in_thread(go_on.wait, 10)) for _ in range(THREADS)]
    await asyncio.sleep(0.05)
    task = asyncio.create_task(in_thread(start))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    go_on.set()
    assert await asyncio.gather(*busy) == [True] * THREADS
    assert await in_thread(stored) == (0, 0, 0, 0)


async def test_an_error_comes_out_of_the_thread() -> None:
    with pytest.raises(LeaseLost):
        await in_thread(checkpoints.append, "nobody", 1, ANSWER, HEAD)


async def test_the_connections_of_the_threads_can_be_closed_and_come_back() -> None:
    assert await in_thread(stored) == (0, 0, 0, 0)
    await asyncio.to_thread(close_connections)
    assert await in_thread(stored) == (0, 0, 0, 0)


def backend() -> int:
    ((pid,),) = transactions.fetch("SELECT pg_backend_pid()")
    return int(pid)


def backend_of(one_thread: DatabaseThreads) -> int:
    return one_thread.submit(backend).result(10)


@pytest.fixture
def one_thread() -> Iterator[DatabaseThreads]:
    threads = DatabaseThreads("test", 1)
    yield threads
    threads.close_connections()


@pytest.mark.only("postgres")
def test_a_thread_keeps_its_connection_from_one_piece_of_work_to_the_next(
    one_thread: DatabaseThreads,
) -> None:
    kept = backend_of(one_thread)
    assert [backend_of(one_thread) for _ in range(3)] == [kept] * 3


@pytest.mark.only("postgres")
def test_a_connection_that_the_server_has_ended_is_replaced_without_a_word(
    one_thread: DatabaseThreads,
) -> None:
    kept = backend_of(one_thread)
    assert transactions.fetch("SELECT pg_terminate_backend(%s, 5000)", [kept]) == [(True,)]
    assert backend_of(one_thread) != kept


@pytest.mark.only("postgres")
def test_a_connection_that_broke_in_the_middle_is_not_used_again(one_thread: DatabaseThreads) -> None:
    def break_it() -> None:
        transactions.fetch("SELECT pg_terminate_backend(pg_backend_pid())")

    with pytest.raises(OperationalError):
        one_thread.submit(break_it).result(10)
    assert backend_of(one_thread)


@pytest.mark.only("sqlite")  # it has one writer
async def test_behind_a_lock_nobody_waits_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transactions, "SQLITE_SECONDS", 0.05)
    with transactions._sqlite_writer, pytest.raises(StorageError):
        await in_thread(start)
    assert await in_thread(stored) == (0, 0, 0, 0)
    await in_thread(start)


class Slept:
    """The lock of a process that stood still: a wait is over as it wakes up, and the lock is free soon."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def acquire(self, timeout: float) -> bool:
        self.waits.append(timeout)
        return len(self.waits) == 3

    def release(self) -> None:
        pass


@pytest.mark.only("sqlite")
async def test_who_stood_still_while_waiting_waits_on(monkeypatch: pytest.MonkeyPatch) -> None:
    lock = Slept()
    monkeypatch.setattr(transactions, "_sqlite_writer", lock)
    await in_thread(start)
    assert lock.waits == [transactions.SQLITE_WAIT] * 3


def _start_holding(hold: Callable[[], None]) -> None:
    start(inside=hold)


def _write_on(run_id: str, fence: int, text: str) -> None:
    """Until the run is somebody else's."""
    for _ in range(1000):
        checkpoints.append(run_id, fence, [AssistantTextEntry(text)] * 2, HEAD)


def _take(run_id: str) -> None:
    fence = checkpoints.claim(run_id, owner="other", force=True)
    assert fence is not None
    for _ in range(5):
        checkpoints.append(run_id, fence, [AssistantTextEntry("new")], HEAD)


def _content(entry: Entry) -> str:
    assert isinstance(entry, AssistantTextEntry)
    return entry.content
