"""Which turn answers a request: what was scripted, else what the user's message says, else an echo."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from tests.fakes import language, steps
from tests.fakes.record import Recorded
from tests.fakes.steps import Cut, Hang, Status, Step, StreamError, Turn

Match: TypeAlias = str | Callable[[Recorded], bool] | None
TurnLike: TypeAlias = str | Step | list[Step] | Turn


def as_turn(turn: TurnLike) -> Turn:
    """A turn from a line of the language, one step, or a sequence of steps."""
    if isinstance(turn, str):
        return language.parse_turn(turn)
    return tuple(turn) if isinstance(turn, list | tuple) else (turn,)


@dataclass(slots=True)
class Rule:
    """Turns for the requests that match, one each, in order; then the rule is used up (or starts again)."""

    turns: list[Turn]
    match: Match = None
    repeat: bool = False
    used: int = 0

    def matches(self, record: Recorded) -> bool:
        if not self.turns or (self.used >= len(self.turns) and not self.repeat):
            return False
        if callable(self.match):
            return self.match(record)
        return self.match is None or self.match in record.last_user

    def take(self) -> Turn:
        turn = self.turns[self.used % len(self.turns)]
        self.used += 1
        return turn


@dataclass(slots=True)
class Script:
    """The rules, newest first, and how often each very request was seen (for `times`)."""

    rules: list[Rule] = field(default_factory=list)
    attempts: dict[bytes, int] = field(default_factory=dict)

    def turn_for(self, record: Recorded) -> Turn:
        key = hashlib.sha256(repr(record.messages).encode("utf-8", "surrogatepass")).digest()
        attempt = self.attempts.get(key, 0)
        self.attempts[key] = attempt + 1
        return tuple(_due(step) for step in self._choose(record) if _happens(step, attempt))

    def _choose(self, record: Recorded) -> Turn:
        for rule in self.rules:
            if rule.matches(record):
                return rule.take()
        turns = language.parse(record.last_user)
        if turns is None:
            return (steps.text(f"You said: {record.last_user}"),)
        return turns[record.turn] if record.turn < len(turns) else (steps.text("Done."),)

    def clear(self) -> None:
        self.rules.clear()
        self.attempts.clear()


def _happens(step: Step, attempt: int) -> bool:
    times = step.times if isinstance(step, Status | StreamError | Cut | Hang) else None
    return times is None or attempt < times


def _due(step: Step) -> Step:
    return replace(step, times=None) if isinstance(step, Status | StreamError | Cut | Hang) else step
