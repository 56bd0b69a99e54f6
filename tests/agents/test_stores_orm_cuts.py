"""Cutting the end of a session off, bringing it back, setting a run aside, and deleting it all."""

from dataclasses import replace

import pytest

from agents.errors import LeaseLost, UserError
from agents.models import Segment as SegmentRow
from agents.session import Segment
from agents.stores.orm import checkpoints, sessions
from agents.transcript import AssistantTextEntry, Entry, InputEntry
from tests.agents.orm import ANSWER, DONE, HEAD, INPUT, call, indexes, result, start, steal, stored

pytestmark = pytest.mark.django_db

TOOLS: list[Entry] = [InputEntry("user", "look"), call("1"), call("2"), result("2"), result("1"), *ANSWER]


def said(text: str) -> list[Entry]:
    return [InputEntry("user", text), AssistantTextEntry(text.upper())]


@pytest.fixture
def history() -> list[Segment]:
    """Three runs in the session s: a, tools, c."""
    runs = [
        Segment("a", said("a"), {"n": 0}),
        Segment("tools", TOOLS, {"n": 1}),
        Segment("c", said("c"), {"n": 2}),
    ]
    for run in runs:
        sessions.append_segment("s", run.entries, run_id=run.run_id, meta=run.meta)
    return runs


def test_a_cut_before_a_run_moves_whole_segments(history: list[Segment]) -> None:
    logs = dict(SegmentRow.objects.values_list("run_id", "log"))
    cut = sessions.cut("s", "tools", 0)
    assert sessions.segments("s") == history[:1]
    assert sessions.segments(cut) == history[1:]
    assert dict(SegmentRow.objects.values_list("run_id", "log")) == logs
    assert cut.startswith("cut-")


def test_a_cut_inside_a_run_splits_it_and_no_call_stays_without_its_result(history: list[Segment]) -> None:
    cut = sessions.cut("s", "tools", 4)
    assert sessions.segments("s") == [
        history[0],
        Segment("tools", [TOOLS[0], call("2"), result("2")], None),
    ]
    assert sessions.segments(cut) == [
        Segment("tools", [call("1"), result("1"), *ANSWER], {"n": 1}),
        history[2],
    ]
    assert sessions.count_entries("s") == 5
    assert sessions.count_entries(cut) == 5


def test_a_cut_of_which_nothing_stays_leaves_no_segment() -> None:
    sessions.append_segment("s", [call("1"), result("1")], run_id="r")
    cut = sessions.cut("s", "r", 1)
    assert sessions.segments("s") == []
    assert sessions.segments(cut) == [Segment("r", [call("1"), result("1")], None)]


@pytest.mark.parametrize(("run_id", "index"), [("a", 2), ("a", -1), ("nobody", 0), ("tools", 99)])
def test_a_cut_at_an_entry_that_is_not_there_changes_nothing(
    history: list[Segment], run_id: str, index: int
) -> None:
    with pytest.raises(UserError):
        sessions.cut("s", run_id, index)
    assert sessions.segments("s") == history


def test_an_entry_of_another_session_is_not_there(history: list[Segment]) -> None:
    with pytest.raises(UserError):
        sessions.cut("t", "a", 0)


@pytest.mark.parametrize(
    ("run_id", "index"), [("a", 0), ("a", 1), ("tools", 0), ("tools", 2), ("tools", 4), ("c", 1)]
)
def test_what_was_cut_can_be_brought_back(history: list[Segment], run_id: str, index: int) -> None:
    cut = sessions.cut("s", run_id, index)
    sessions.restore("s", cut)
    assert sessions.segments("s") == history
    assert sessions.segments(cut) == []
    assert sessions.count_entries("s") == 10
    with pytest.raises(UserError):
        sessions.restore("s", cut)


def test_what_comes_back_comes_last(history: list[Segment]) -> None:
    cut = sessions.cut("s", "tools", 0)
    sessions.append_segment("s", said("new"), run_id="new")
    sessions.restore("s", cut)
    assert [segment.run_id for segment in sessions.segments("s")] == ["a", "new", "tools", "c"]


def test_the_tail_of_a_run_that_was_overtaken_comes_back_as_a_run_of_its_own(history: list[Segment]) -> None:
    cut = sessions.cut("s", "tools", 4)
    sessions.append_segment("s", said("new"), run_id="new")
    sessions.restore("s", cut)
    runs = sessions.segments("s")
    assert [run.run_id for run in runs[:3]] == ["a", "tools", "new"]
    assert runs[3].entries == [call("1"), result("1"), *ANSWER]
    assert runs[3].run_id not in ("tools", "new")
    assert runs[4] == history[2]


def test_a_cut_takes_the_checkpoints_of_its_runs_only() -> None:
    for name in "abc":
        fence = start(name)
        checkpoints.finish(name, fence, ANSWER, DONE, meta=None, keep=True)
    start("live")
    sessions.cut("s", "b", 1)
    assert [bool(checkpoints.load_run(name)) for name in ("a", "b", "c", "live")] == [
        True,
        False,
        False,
        True,
    ]


def test_what_fails_inside_undoes_the_cut(history: list[Segment]) -> None:
    def fail() -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        sessions.cut("s", "tools", 4, inside=fail)
    assert sessions.segments("s") == history


def test_rewind_keeps_the_indexes_of_what_stays() -> None:
    sessions.append_segment("s", TOOLS, run_id="r")
    assert sessions.rewind("s", 4) == 3
    row = SegmentRow.objects.get()
    assert (indexes(row.log), row.length, row.meta) == ([0, 2, 3], 3, None)
    # The next cut counts rows, not indexes.
    assert sessions.rewind("s", 2) == 2
    assert sessions.load("s") == TOOLS[:1]


# --- a run set aside ---


def test_a_run_set_aside_leaves_the_session_with_all_that_it_had() -> None:
    fence = start()
    checkpoints.append("r", fence, [call("1"), result("1")], HEAD)
    aside = sessions.set_aside("r", fence)
    assert checkpoints.in_flight("s") is None
    assert sessions.segments("s") == []
    (kept,) = sessions.segments(aside)
    assert (kept.run_id, kept.entries) == ("r", [*INPUT, call("1"), result("1")])
    assert kept.meta is not None
    assert kept.meta["status"] == "interrupted"


def test_a_run_set_aside_keeps_its_error_and_can_be_brought_back() -> None:
    error = {"type": "ProviderError", "message": "no"}
    checkpoints.release("r", start(), head=replace(HEAD, status="failed", error=error))
    aside = sessions.set_aside("r")
    sessions.restore("s", aside)
    (back,) = sessions.segments("s")
    assert back.meta is not None
    assert (back.entries, back.meta["status"], back.meta["error"]) == (INPUT, "failed", error)


def test_only_its_owner_sets_a_run_aside() -> None:
    fence = start()
    steal("r")
    with pytest.raises(LeaseLost):
        sessions.set_aside("r", fence)
    assert checkpoints.in_flight("s") is not None


# --- the whole session ---


def test_a_deleted_session_leaves_no_row_and_touches_no_other() -> None:
    for name in ("s", "s2"):
        sessions.append_segment(name, [call("1"), replace(result("1"), output="x" * 5000)], run_id="old")
        sessions.trim_tool_results(name, keep_runs=0)
        checkpoints.finish(f"kept {name}", start(f"kept {name}", name), [], DONE, meta=None, keep=True)
        start(f"live {name}", name)
    assert stored() == (4, 4, 8, 2)
    sessions.delete_session("s")
    assert stored() == (2, 2, 4, 1)
    sessions.delete_session("s2")
    assert stored() == (0, 0, 0, 0)


def test_the_empty_id_deletes_nothing(history: list[Segment]) -> None:
    with pytest.raises(UserError):
        sessions.delete_session("")
    assert sessions.segments("s") == history


def test_the_last_thing_that_a_user_said(history: list[Segment]) -> None:
    assert sessions.last_input_ref("s") == ("c", 0)
    entries = [*said("x"), *said("y"), InputEntry("system", "note"), *ANSWER]
    sessions.append_segment("s", entries, run_id="d")
    assert sessions.last_input_ref("s") == ("d", 2)
    sessions.append_segment("s", ANSWER, run_id="e")
    assert sessions.last_input_ref("s") == ("d", 2)
    assert sessions.last_input_ref("nobody") is None


def test_a_damaged_meta_does_not_hide_the_history(
    history: list[Segment], caplog: pytest.LogCaptureFixture
) -> None:
    SegmentRow.objects.filter(run_id="a").update(meta='{"n": ')
    assert sessions.segments("s") == [Segment("a", said("a"), None), *history[1:]]
    assert len(caplog.records) == 1
