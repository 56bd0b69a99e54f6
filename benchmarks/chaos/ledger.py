"""What people did and what they were told: the other side of what is stored."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Literal
from uuid import uuid4

Name = Literal["new", "send", "edit", "regenerate"]
Outcome = Literal["unknown", "accepted", "refused"]


@dataclass(slots=True, eq=False)
class Command:
    """A command that brings a message, or answers one anew. One client_id, however often it is sent.

    `unknown`: it was sent, and nobody could say what became of it. `was_lost`: at least one attempt had no
    answer, and may still be carried out.
    """

    person: int
    name: Name
    thread: str
    text: str
    sent_at: float = field(default_factory=time.time)
    answered_at: float | None = None
    outcome: Outcome = "unknown"
    run_id: str = ""
    was_lost: bool = False
    client_id: str = field(default_factory=lambda: str(uuid4()))

    def accept(self, run_id: str) -> None:
        self.outcome = "accepted"
        self.run_id = self.run_id or run_id
        self.answered_at = self.answered_at or time.time()


@dataclass(slots=True, eq=False)
class Change:
    """Something that was asked of a thread without a message of its own.

    resume: a consent to run open calls again · reword: `old` in the queue becomes `new` · withdraw: `old`
    leaves the queue · delete: the thread goes.
    """

    name: Literal["resume", "reword", "withdraw", "delete"]
    thread: str
    old: str = ""
    new: str = ""
    sent_at: float = field(default_factory=time.time)
    answered_at: float | None = None
    outcome: Outcome = "unknown"

    def answer(self, status: int) -> None:
        self.answered_at = time.time()
        self.outcome = "accepted" if status < 300 else "refused"

    @property
    def may_have_happened(self) -> bool:
        return self.outcome != "refused"


@dataclass(frozen=True, slots=True)
class Violation:
    rule: str
    detail: str


@dataclass(slots=True)
class Ledger:
    """Shared by all people of a run of the bench. `delivered`: a digest of each frame that was received."""

    commands: list[Command] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    violations: list[Violation] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    delivered: dict[str, dict[int, bytes]] = field(default_factory=dict)

    def count(self, what: str, number: int = 1) -> None:
        self.counts[what] = self.counts.get(what, 0) + number

    def accuse(self, rule: str, detail: str) -> None:
        self.violations.append(Violation(rule, detail))

    def changes_of(self, thread: str, name: str) -> list[Change]:
        return [change for change in self.changes if change.thread == thread and change.name == name]
