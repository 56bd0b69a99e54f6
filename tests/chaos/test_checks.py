"""Each invariant, broken once on purpose."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.chaos.checks import check_effects, check_log, check_messages, check_rest
from benchmarks.chaos.checks.frames import check_frames
from benchmarks.chaos.checks.history import faults_of
from benchmarks.chaos.checks.tools import Effect
from benchmarks.chaos.ledger import Change, Command, Ledger
from benchmarks.chaos.stored import Stored, StoredRun, StoredThread

THREAD = "t"


def run(run_id: str, text: str, where="segment", *entries, **meta) -> StoredRun:
    all_entries = dict(enumerate([{"type": "input", "content": text}, *entries]))
    return StoredRun(run_id, THREAD, where, all_entries, {"status": "completed"} | meta, len(all_entries))


def stored(*line: StoredRun, cuts=(), held="", checkpoints=()) -> Stored:
    thread = StoredThread(THREAD, held, list(line), [list(cut) for cut in cuts])
    return Stored({THREAD: thread}, list(checkpoints), [])


def command(name, text, run_id="", *, sent_at=0.0, answered_at: float | None = 1.0) -> Command:
    outcome = "accepted" if answered_at is not None else "unknown"
    return Command(0, name, THREAD, text, sent_at, answered_at, outcome, run_id)


def ledger(*commands: Command, changes=()) -> Ledger:
    return Ledger(commands=list(commands), changes=list(changes))


def change(name, *, outcome="accepted", sent_at=0.0, answered_at=1.0, **texts) -> Change:
    return Change(name, THREAD, sent_at=sent_at, answered_at=answered_at, outcome=outcome, **texts)


def rules(check, *arguments) -> list[str]:
    book = arguments[-1]
    check(*arguments)
    return [violation.rule for violation in book.violations]


NEW = command("new", "a")
SEND = command("send", "b", "r2", sent_at=2, answered_at=3)


def test_what_is_in_order_is_left_alone() -> None:
    waiting = command("send", "c", "r3", sent_at=4, answered_at=5)
    there = stored(run("r1", "a"), run("r2", "b", "flight"), run("r3", "c", "queue"))
    assert rules(check_messages, there, ledger(NEW, SEND, waiting)) == []


@pytest.mark.parametrize(
    ("there", "rule"),
    [
        (stored(run("r1", "a")), "once"),  # r2 is nowhere
        (stored(run("r1", "a"), run("r2", "b"), run("r2", "b", "queue")), "once"),
        (stored(run("r1", "a"), run("r2", "other")), "once"),
        (stored(run("r1", "a"), run("r2", "b"), run("r9", "b")), "once"),  # nobody asked for r9
        (stored(run("r2", "b"), run("r1", "a")), "in order"),
        (stored(cuts=[[run("r2", "b"), run("r1", "a")]]), "in order"),
        (Stored({}, [], []), "once"),
    ],
)
def test_lost_doubled_changed_and_disordered_messages_are_seen(there: Stored, rule: str) -> None:
    assert set(rules(check_messages, there, ledger(NEW, SEND))) == {rule}


def test_a_message_in_a_revision_is_there() -> None:
    assert rules(check_messages, stored(run("r1", "a"), cuts=[[run("r2", "b")]]), ledger(NEW, SEND)) == []


def test_what_was_withdrawn_is_nowhere() -> None:
    withdrawn = change("withdraw", old="b")
    assert rules(check_messages, stored(run("r1", "a")), ledger(NEW, SEND, changes=[withdrawn])) == []
    there = stored(run("r1", "a"), run("r2", "b"))
    assert rules(check_messages, there, ledger(NEW, SEND, changes=[withdrawn])) == ["once"]


def test_what_was_reworded_has_its_new_text() -> None:
    reworded = change("reword", old="b", new="B")
    there = stored(run("r1", "a"), run("r2", "B", "queue"))
    assert rules(check_messages, there, ledger(NEW, SEND, changes=[reworded])) == []
    there = stored(run("r1", "a"), run("r2", "b", "queue"))
    assert rules(check_messages, there, ledger(NEW, SEND, changes=[reworded])) == ["once"]


def test_what_nobody_heard_of_may_be_there_or_not() -> None:
    unheard = command("send", "b", answered_at=None)
    for there in (stored(run("r1", "a")), stored(run("r1", "a"), run("r2", "b"))):
        assert rules(check_messages, there, ledger(NEW, unheard)) == []
    twice = stored(run("r1", "a"), run("r2", "b"), run("r3", "b"))
    assert rules(check_messages, twice, ledger(NEW, unheard)) == ["once"]


def test_a_deleted_thread_is_gone() -> None:
    deleted = change("delete")
    assert rules(check_messages, Stored({}, [], []), ledger(NEW, changes=[deleted])) == []
    assert rules(check_messages, stored(run("r1", "a")), ledger(NEW, changes=[deleted])) == ["once"]


CALL = {"type": "tool_call", "call_id": "c"}
RESULT = {"type": "tool_result", "call_id": "c"}
SAID = {"type": "assistant_text", "content": "said"}


@pytest.mark.parametrize(
    "broken",
    [
        run("r", "a", "segment", CALL),
        run("r", "a", "segment", RESULT),
        run("r", "a", "revision", CALL, RESULT, RESULT),
        run("r", "a", "flight", CALL, SAID),
        run("r", "a", "segment", {"type": "assistant_text", "content": ""}),
        run("r", "a", "segment", SAID, status="running"),
        run("r", "a", "segment", {"type": "input", "content": "b"}),
        StoredRun("r", THREAD, "segment", {}, {"status": "completed"}, 0),
    ],
)
def test_broken_histories_are_seen(broken: StoredRun) -> None:
    assert len(list(faults_of(broken))) == 1


def test_whole_histories_are_left_alone() -> None:
    assert list(faults_of(run("r", "a", "segment", SAID, CALL, RESULT, SAID))) == []
    assert list(faults_of(run("r", "a", "flight", CALL))) == []


def test_a_run_that_nobody_drives_is_seen() -> None:
    row = {
        "run_id": "r",
        "session_id": THREAD,
        "status": "running",
        "lease_owner": None,
        "lease_expires_at": None,
    }
    assert rules(check_rest, stored(checkpoints=[row]), ledger()) == ["nothing runs for ever"]


def test_a_checkpoint_beside_its_segment_is_seen() -> None:
    row = {"run_id": "r", "session_id": THREAD, "status": "interrupted"}
    assert rules(check_rest, stored(run("r", "a"), checkpoints=[row]), ledger()) == ["one place"]


def test_a_queue_that_nothing_holds_is_seen() -> None:
    assert rules(check_rest, stored(run("r", "a", "queue")), ledger()) == ["queue goes on"]
    assert rules(check_rest, stored(run("r", "a", "queue"), held="stopped"), ledger()) == []


def effects(*times: float, tool="pay") -> list[Effect]:
    return [Effect(tool, THREAD, "r", "c", at, 1) for at in times]


def test_an_effect_that_nobody_allowed_is_seen() -> None:
    assert rules(check_effects, effects(1), ledger()) == []
    assert rules(check_effects, effects(1, 5, tool="lookup"), ledger()) == []
    assert rules(check_effects, effects(1, 5), ledger()) == ["effect once"]


def test_a_click_on_resume_allows_one_more() -> None:
    consent = change("resume", sent_at=3, answered_at=4)
    refused = change("resume", sent_at=3, answered_at=4, outcome="refused")
    earlier = change("resume", sent_at=0, answered_at=0.5)
    assert rules(check_effects, effects(1, 5), ledger(changes=[consent])) == []
    assert rules(check_effects, effects(1, 5, 6), ledger(changes=[consent])) == ["effect once"]
    assert rules(check_effects, effects(1, 5), ledger(changes=[refused])) == ["effect once"]
    assert rules(check_effects, effects(1, 5), ledger(changes=[earlier])) == ["effect once"]


def test_tracebacks_and_locks_are_seen(tmp_path: Path) -> None:
    log = tmp_path / "web1.log"
    log.write_text("fine\nTraceback (most recent call last):\n  File\nValueError\n" + "fine\n" * 50)
    assert rules(check_log, log, [], ledger()) == ["no traceback"]
    log.write_text("fine\nOperationalError: database is locked\n")
    assert rules(check_log, log, [], ledger()) == ["never locked"]


def test_what_took_long_while_the_process_stood_still_is_no_fault(tmp_path: Path) -> None:
    log = tmp_path / "web1.log"
    log.write_text("1970-01-01T00:01:40.000Z [warning  ] Application took too long to shut down\n")
    assert rules(check_log, log, [(85, 99)], ledger()) == []
    assert rules(check_log, log, [(20, 30)], ledger()) == ["no traceback"]


class NoFrames:
    """A database whose event log is empty."""

    def rows(self, statement: str) -> list[dict[str, str]]:
        return []


@pytest.mark.parametrize(("hours", "rule"), [("15", []), ("16", ["written, then shown"])])
def test_only_the_frames_of_a_run_that_has_ended_an_hour_ago_may_be_forgotten(hours, rule) -> None:
    ends = {"old": f"2026-01-01T{hours}:40:00+00:00", "new": "2026-01-01T17:30:00+00:00"}
    there = stored(*[run(name, "a", timing={"finished_at": at}) for name, at in ends.items()])
    book = ledger()
    book.delivered["old"] = {1: b"digest"}
    assert rules(check_frames, NoFrames(), there, book) == rule
