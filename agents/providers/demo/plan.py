"""How a rule says what it will do: a generator of steps, replayed from the transcript at every turn.

A plan yields steps with tool calls, gets their outcomes, and returns the step that ends the turn. Nothing is
remembered between two requests, so a run that is resumed in another process goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from agents.providers.demo.talk import Outcome, Talk


@dataclass(frozen=True, slots=True)
class Call:
    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Step:
    """One answer of the model. `breaks`: the connection is cut in its middle, to be asked again or not."""

    text: str = ""
    thinking: str = ""
    calls: tuple[Call, ...] = ()
    breaks: Literal["failed", "retry"] | None = None


Plan = Generator[Step, list[Outcome], Step]
Rule = Callable[[Talk], Plan | None]
"""The plan for a message, or None when the rule does not know it."""


def answer(text: str, *, thinking: str = "") -> Plan:
    """A plan without tools."""
    yield from ()
    return Step(text, thinking)


def next_step(plan: Plan, outcomes: Sequence[Outcome]) -> Step:
    """What is to be done now, given what the calls so far have come to."""
    left = list(outcomes)
    try:
        step = next(plan)
        while len(left) >= len(step.calls):
            mine, left = left[: len(step.calls)], left[len(step.calls) :]
            step = plan.send(mine)
    except StopIteration as end:
        final: Step = end.value
        return final
    return replace(step, text="", thinking="", calls=step.calls[len(left) :]) if left else step


def in_order(talks: Sequence[Talk], choose: Callable[[Talk], Plan]) -> Plan:
    """One plan after the other. What one has come to is said before the next one's first call."""
    last = Step()
    for talk in talks:
        last = yield from led(choose(replace(talk, said=last.text)), last.text)
    return last


def led(plan: Plan, lead: str) -> Plan:
    try:
        step = next(plan)
        while True:
            outcomes = yield replace(step, text=joined(lead, step.text))
            lead = ""
            step = plan.send(outcomes)
    except StopIteration as end:
        final: Step = end.value
        return replace(final, text=joined(lead, final.text))


def joined(*texts: str) -> str:
    return "\n\n".join(text for text in texts if text)
