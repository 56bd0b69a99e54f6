"""The life of a run in the ORM store: start, append, finish, fold, delete; each all or nothing."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from agents.errors import LeaseLost, RunInFlight, UserError
from agents.models import Checkpoint, Segment
from agents.models import Entry as EntryRow
from agents.stores.orm import checkpoints, logs, sessions, snapshots
from agents.transcript import AssistantTextEntry, InputEntry
from agents.usage import Usage
from tests.agents.orm import ANSWER, DONE, HEAD, INPUT, ME, OTHER, call, indexes, result, start, steal, stored

pytestmark = pytest.mark.django_db


class Broken(Exception):
    pass


def broken() -> None:
    raise Broken


def test_a_run_starts_with_its_first_fence_and_a_lease() -> None:
    assert start() == 1
    run = checkpoints.in_flight("s")
    assert run is not None
    assert (run.run_id, run.session_id, run.fence, run.lease_owner, run.live) == ("r", "s", 1, ME, True)
    assert (run.next_index, run.stop_requested, run.handed_over, run.auto_resumes) == (1, False, False, 0)
    assert checkpoints.run_entries(run.log) == INPUT


def test_a_run_that_grows_while_it_is_read_is_read_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    fence, read_entries = start(), logs.run_entries

    def read_late(*log: Any, **part: Any) -> Any:
        checkpoints.append("r", fence, ANSWER, replace(HEAD, done=True))
        return read_entries(*log, **part)

    monkeypatch.setattr(snapshots, "run_entries", read_late)
    snapshot = snapshots.load_run("r")
    assert snapshot is not None
    assert (snapshot.entries, snapshot.head.done) == (INPUT, False)


def test_a_second_run_of_the_session_is_refused_and_leaves_nothing() -> None:
    start("first")
    with pytest.raises(RunInFlight) as refused:
        start("second")
    assert refused.value.run_id == "first"
    assert stored() == (1, 0, 1, 0)


def test_the_same_run_cannot_start_twice() -> None:
    start("r", "s")
    with pytest.raises(RunInFlight) as refused:
        start("r", "t")
    assert refused.value.run_id == "r"


def test_a_finished_run_that_was_kept_cannot_start_again() -> None:
    checkpoints.finish("r", start(), ANSWER, DONE, meta=None, keep=True)
    with pytest.raises(UserError, match="finished"):
        start()


def test_the_outer_transaction_survives_a_refused_start() -> None:
    start("first")
    with pytest.raises(RunInFlight):
        start("second")
    assert start("third", "t") == 1


def test_append_says_where_the_log_goes_on() -> None:
    fence = start()
    assert checkpoints.append("r", fence, [call("1"), call("2")], HEAD) == 3
    assert checkpoints.append("r", fence, [], replace(HEAD, turns=1)) == 3
    assert checkpoints.append("r", fence, [result("1")], HEAD) == 4


def test_entries_of_a_run_by_index() -> None:
    checkpoints.append("r", start(), [call("1"), result("1"), *ANSWER], HEAD)
    run = checkpoints.in_flight("s")
    assert run is not None
    assert checkpoints.run_entries(run.log, after=1) == [result("1"), *ANSWER]
    assert checkpoints.indexed_entries(run.log, 1, 3) == [(1, call("1")), (2, result("1"))]


def test_a_finished_run_is_a_segment_and_its_checkpoint_is_gone() -> None:
    fence = start()
    log = Checkpoint.objects.get().log
    checkpoints.finish("r", fence, ANSWER, DONE, meta={"status": "completed"})
    (segment,) = sessions.segments("s")
    assert (segment.run_id, segment.entries, segment.meta) == ("r", INPUT + ANSWER, {"status": "completed"})
    # Handed over, not copied.
    assert Segment.objects.get().log == log
    assert stored() == (0, 1, 2, 0)
    assert checkpoints.in_flight("s") is None


def test_a_kept_run_can_be_loaded_but_is_not_in_flight() -> None:
    checkpoints.finish("r", start(), ANSWER, replace(DONE, output="hi"), meta=None, keep=True)
    snapshot = checkpoints.load_run("r")
    assert snapshot is not None
    assert (snapshot.entries, snapshot.head.status, snapshot.head.output) == (
        INPUT + ANSWER,
        "completed",
        "hi",
    )
    assert checkpoints.in_flight("s") is None
    assert start("next") == 1


def test_deleting_a_kept_run_leaves_the_session_alone() -> None:
    checkpoints.finish("r", start(), ANSWER, DONE, meta=None, keep=True)
    checkpoints.delete_run("r")
    assert checkpoints.load_run("r") is None
    assert sessions.load("s") == INPUT + ANSWER


@pytest.mark.parametrize("keep", [False, True])
def test_the_session_keeps_the_segment_that_it_has_of_the_run(keep: bool) -> None:
    sessions.append_segment("s", [InputEntry("user", "first")], run_id="r", meta={"n": 1})
    checkpoints.finish("r", start(), ANSWER, DONE, meta={"n": 2}, keep=keep)
    (segment,) = sessions.segments("s")
    assert (segment.entries, segment.meta) == ([InputEntry("user", "first")], {"n": 1})
    assert stored() == (int(keep), 1, 1, 0)
    if keep:
        snapshot = checkpoints.load_run("r")
        assert snapshot is not None
        assert snapshot.entries == segment.entries


def test_a_run_without_a_session_cannot_be_finished_into_one() -> None:
    fence = start(session_id=None)
    with pytest.raises(UserError):
        checkpoints.finish("r", fence, ANSWER, DONE, meta=None)
    assert checkpoints.load_run("r") is not None


def test_a_fold_drops_dangling_calls_and_adds_the_tail_without_renumbering() -> None:
    fence = start()
    checkpoints.append("r", fence, [call("1"), call("2"), result("2")], HEAD)
    tail = [AssistantTextEntry("so f", partial=True)]
    checkpoints.fold("r", fence, tail=tail, drop=[1, 1, 77], meta={"status": "stopped"})
    (segment,) = sessions.segments("s")
    assert segment.entries == [*INPUT, call("2"), result("2"), *tail]
    assert segment.meta == {"status": "stopped"}
    row = Segment.objects.get()
    assert (indexes(row.log), row.length) == ([0, 2, 3, 4], 4)
    assert stored() == (0, 1, 4, 0)


def test_a_fold_that_leaves_nothing_leaves_no_segment() -> None:
    checkpoints.fold("r", start(), tail=[], drop=[0], meta={"status": "stopped"})
    assert stored() == (0, 0, 0, 0)


def test_delete_takes_the_entries_of_a_run_in_flight() -> None:
    start()
    checkpoints.delete_run("r")
    checkpoints.delete_run("r")
    assert stored() == (0, 0, 0, 0)


WRITES: dict[str, Callable[[int, Callable[[], None] | None], object]] = {
    "append": lambda fence, inside: checkpoints.append("r", fence, ANSWER, HEAD, inside=inside),
    "finish": lambda fence, inside: checkpoints.finish("r", fence, ANSWER, DONE, meta=None, inside=inside),
    "finish and keep": lambda fence, inside: checkpoints.finish(
        "r", fence, ANSWER, DONE, meta=None, keep=True, inside=inside
    ),
    "fold": lambda fence, inside: checkpoints.fold(
        "r", fence, tail=ANSWER, drop=[], meta=None, inside=inside
    ),
    "release": lambda fence, inside: checkpoints.release("r", fence, head=DONE, inside=inside),
    "set aside": lambda fence, inside: sessions.set_aside("r", fence, inside=inside),
}
UNFENCED: dict[str, Callable[[int, Callable[[], None] | None], object]] = {
    "beat": lambda fence, _: checkpoints.beat("r", fence),
    "delete": lambda fence, _: checkpoints.delete_run("r", fence),
}


@pytest.mark.parametrize("write", [*WRITES.values(), *UNFENCED.values()], ids=[*WRITES, *UNFENCED])
def test_the_old_owner_of_a_stolen_run_writes_nothing(write: Callable[..., object]) -> None:
    old = start()
    steal("r")
    before = checkpoints.in_flight("s"), stored()
    with pytest.raises(LeaseLost):
        write(old, lambda: pytest.fail("inside ran"))
    assert (checkpoints.in_flight("s"), stored()) == before


@pytest.mark.parametrize("write", [*WRITES.values(), UNFENCED["beat"]], ids=[*WRITES, "beat"])
def test_no_write_brings_a_run_back_that_is_gone(write: Callable[..., object]) -> None:
    fence = start()
    sessions.delete_session("s")
    with pytest.raises(LeaseLost):
        write(fence, None)
    assert stored() == (0, 0, 0, 0)


@pytest.mark.parametrize("write", WRITES.values(), ids=list(WRITES))
def test_a_finished_run_is_not_written_to_any_more(write: Callable[..., object]) -> None:
    fence = start()
    checkpoints.finish("r", fence, ANSWER, DONE, meta=None, keep=True)
    with pytest.raises(LeaseLost):
        write(fence, None)
    assert sessions.load("s") == INPUT + ANSWER


@pytest.mark.parametrize("write", WRITES.values(), ids=list(WRITES))
def test_what_fails_inside_undoes_the_whole_write(write: Callable[..., object]) -> None:
    fence = start()
    before = checkpoints.in_flight("s"), stored()
    with pytest.raises(Broken):
        write(fence, broken)
    assert (checkpoints.in_flight("s"), stored()) == before


@pytest.mark.parametrize("write", WRITES.values(), ids=list(WRITES))
def test_inside_runs_once_while_the_run_is_held(write: Callable[..., object]) -> None:
    fence = start()
    seen: list[str] = []
    write(fence, lambda: seen.append("inside"))
    assert seen == ["inside"]


def test_inside_of_start_and_claim_is_undone_with_them() -> None:
    with pytest.raises(Broken):
        start(inside=broken)
    assert stored() == (0, 0, 0, 0)
    start(owner=None)
    with pytest.raises(Broken):
        checkpoints.claim("r", owner=OTHER, inside=broken)
    run = checkpoints.in_flight("s")
    assert run is not None
    assert (run.fence, run.live) == (1, False)


def test_a_damaged_row_is_left_out_with_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    checkpoints.append("r", start(), [call("1"), result("1"), *ANSWER], HEAD)
    run = checkpoints.in_flight("s")
    assert run is not None
    _damage(run.log, 1, '{"type": "tool_c')
    _damage(run.log, 2, '{"type": "video"}')
    assert checkpoints.run_entries(run.log) == INPUT + ANSWER
    assert len(caplog.records) == 1
    assert [type(entry).__name__ for _, entry in checkpoints.indexed_entries(run.log)] == [
        "InputEntry",
        "UnreadableEntry",
        "UnreadableEntry",
        "AssistantTextEntry",
    ]


def test_a_damaged_head_does_not_hide_the_run(caplog: pytest.LogCaptureFixture) -> None:
    start()
    Checkpoint.objects.update(head='{"usage": ', output="{")
    run = checkpoints.in_flight("s")
    assert run is not None
    assert (run.head.usage, run.head.output, run.next_index) == (Usage(), None, 1)
    assert len(caplog.records) == 2


def test_no_tokens_is_not_the_same_as_unknown() -> None:
    checkpoints.append("r", start(), [], replace(HEAD, last_input_tokens=0))
    run = checkpoints.in_flight("s")
    assert run is not None
    assert run.head.last_input_tokens == 0


def test_context_state_is_written_when_it_changed_only() -> None:
    fence = start()
    checkpoints.append("r", fence, [], replace(HEAD, context_state={"summary": "a"}))
    Checkpoint.objects.update(context_state='{"summary": "kept"}')
    checkpoints.append("r", fence, ANSWER, replace(HEAD, context_state={"summary": "a"}))
    assert Checkpoint.objects.get().context_state == '{"summary": "kept"}'
    checkpoints.append("r", fence, [], replace(HEAD, context_state={"summary": "b"}))
    assert Checkpoint.objects.get().context_state == '{"summary":"b"}'
    checkpoints.append("r", fence, [], HEAD)
    assert Checkpoint.objects.get().context_state is None


def _damage(log: UUID, index: int, data: str) -> None:
    EntryRow.objects.filter(log=log, index=index).update(data=data)
