"""Every accepted message is there exactly once, where it may be, and in the order in which it was said."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import combinations

from benchmarks.chaos.ledger import Command, Ledger
from benchmarks.chaos.stored import Stored, StoredRun, StoredThread

MESSAGES = ("new", "send", "edit")


def check_messages(stored: Stored, ledger: Ledger) -> None:
    asked: dict[str, list[Command]] = defaultdict(list)
    for command in ledger.commands:
        asked[command.thread].append(command)
    for thread_id in asked.keys() - {""}:
        _check_presence(thread_id, stored, ledger)
    unclaimed = _unknown_new(stored, asked, ledger)
    for thread in stored.threads.values():
        if thread.id not in unclaimed:
            ThreadCheck(thread, asked.get(thread.id, []), ledger).run()


def _check_presence(thread_id: str, stored: Stored, ledger: Ledger) -> None:
    deletions = ledger.changes_of(thread_id, "delete")
    is_there = thread_id in stored.threads
    if is_there and any(change.outcome == "accepted" for change in deletions):
        ledger.accuse("once", f"thread {thread_id} was deleted, and is there")
    if not is_there and not any(change.may_have_happened for change in deletions):
        ledger.accuse("once", f"thread {thread_id} is gone")


def _unknown_new(stored: Stored, asked: dict[str, list[Command]], ledger: Ledger) -> set[str]:
    """Threads that somebody tried to make and never heard of; each try has made one at most."""
    tried = Counter(command.text for command in asked.get("", ()) if command.name == "new")
    found: set[str] = set()
    for thread in stored.threads.values():
        if thread.id in asked:
            continue
        found.add(thread.id)
        text = thread.line[0].message if thread.line else ""
        tried[text] -= 1
        if tried[text] < 0:
            ledger.accuse("once", f"thread {thread.id} was never asked for: {text[:80]!r}")
    return found


class ThreadCheck:
    """One thread: each of its runs belongs to one command, each accepted command has its run."""

    def __init__(self, thread: StoredThread, commands: list[Command], ledger: Ledger) -> None:
        self._thread = thread
        self._ledger = ledger
        self._commands = [command for command in commands if command.outcome != "refused"]
        self._rewords = ledger.changes_of(thread.id, "reword")
        self._withdrawals = ledger.changes_of(thread.id, "withdraw")
        self._run_of: dict[Command, StoredRun] = {}

    def run(self) -> None:
        runs = self._thread.runs
        for run_id, count in Counter(run.run_id for run in runs).items():
            if count > 1:
                self._accuse("once", f"run {run_id} is there {count} times")
        self._claim(runs)
        for command in self._commands:
            self._check(command)
        self._check_rest(runs)
        self._check_order(self._thread.line)
        for cut in self._thread.cuts:
            self._check_order(cut)

    def _claim(self, runs: Iterable[StoredRun]) -> None:
        free = {run.run_id: run for run in runs}
        named = [command for command in self._commands if command.run_id]
        for command in named:
            if command.run_id in free:
                self._run_of[command] = free.pop(command.run_id)
        for command in self._commands:
            if not command.run_id and command.name in MESSAGES:
                texts = self._possible_texts(command.text)
                match = next((run for run in free.values() if run.message in texts), None)
                if match is not None:
                    self._run_of[command] = free.pop(match.run_id)

    def _possible_texts(self, text: str) -> set[str]:
        """What the message may say by now: people may change it while it waits."""
        later = [change for change in self._rewords if change.old == text and change.may_have_happened]
        texts = set() if any(change.outcome == "accepted" for change in later) else {text}
        return texts.union(*(self._possible_texts(change.new) for change in later))

    def _check(self, command: Command) -> None:
        run = self._run_of.get(command)
        texts = self._possible_texts(command.text) if command.name in MESSAGES else set()
        taken_back = [change for change in self._withdrawals if change.old in texts]
        is_withdrawn = any(change.outcome == "accepted" for change in taken_back)
        may_be_absent = command.outcome == "unknown" or any(c.may_have_happened for c in taken_back)
        said = f"{command.name} {command.text[:60]!r} (run {command.run_id})"
        if run is None and not may_be_absent:
            self._accuse("once", f"{said} was accepted, and is nowhere")
        if run is not None and is_withdrawn:
            self._accuse("once", f"{said} was withdrawn, and is in the {run.where}")
        if run is not None and texts and run.message not in texts:
            self._accuse("once", f"{said} became {run.message[:60]!r}")

    def _check_rest(self, runs: Iterable[StoredRun]) -> None:
        """What no command has claimed can only be an answer anew that nobody heard of."""
        claimed = {run.run_id for run in self._run_of.values()}
        rest = [run for run in runs if run.run_id not in claimed]
        unheard = [c for c in self._commands if c.name == "regenerate" and c.outcome == "unknown"]
        if len(rest) > len(unheard):
            ids = ", ".join(f"{run.run_id} ({run.where}) {run.message[:40]!r}" for run in rest)
            self._accuse("once", f"runs that nobody asked for: {ids}")

    def _check_order(self, line: list[StoredRun]) -> None:
        command_of = {run.run_id: command for command, run in self._run_of.items()}
        there = [command_of[run.run_id] for run in line if run.run_id in command_of]
        for earlier, later in combinations(there, 2):
            if earlier.name in ("new", "send") and _was_before(later, earlier):
                self._accuse("in order", f"{later.text[:60]!r} was said before {earlier.text[:60]!r}")

    def _accuse(self, rule: str, detail: str) -> None:
        self._ledger.accuse(rule, f"thread {self._thread.id}: {detail}")


def _was_before(one: Command, other: Command) -> bool:
    """It was accepted before the other was even sent."""
    return one.answered_at is not None and one.answered_at < other.sent_at
