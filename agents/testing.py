"""A model that says what a test tells it to, so that a whole run is one line.

agent = Agent("helper", model=ScriptedProvider([call("add", {"a": 1, "b": 2}), text("It is 3.")]),
tools=[add])
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents.deltas import Delta, FinishDelta, ReasoningDelta, TextDelta, ToolCallDelta, UsageDelta
from agents.providers.base import ModelRequest
from agents.usage import Usage

ONE_TOKEN_EACH = Usage(input_tokens=1, output_tokens=1)


@dataclass(frozen=True, slots=True)
class Pause:
    """The model is silent: for some seconds, until an event is set, or (with neither) for ever.

    `reached` is set when it falls silent.
    """

    seconds: float | None = None
    until: asyncio.Event | None = None
    reached: asyncio.Event | None = None


Step = Delta | Pause | BaseException


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer of the model, step by step. `a + b` is one turn that says and calls both. Unless `finish` is
    None (a stream that is cut), usage and the end of the turn come by themselves."""

    steps: tuple[Step, ...] = ()
    finish: str | None = ""
    usage: Usage = ONE_TOKEN_EACH

    def __add__(self, other: Turn) -> Turn:
        first_slot = 1 + max(
            (step.slot for step in self.steps if isinstance(step, ToolCallDelta)), default=-1
        )
        moved = (
            replace(step, slot=step.slot + first_slot) if isinstance(step, ToolCallDelta) else step
            for step in other.steps
        )
        return Turn((*self.steps, *moved), other.finish, other.usage)

    def all_steps(self) -> Iterable[Step]:
        yield from self.steps
        if self.finish is not None:
            yield UsageDelta(self.usage)
            yield FinishDelta(self.finish or self._natural_finish())

    def _natural_finish(self) -> str:
        return "tool_calls" if any(isinstance(step, ToolCallDelta) for step in self.steps) else "stop"


def text(
    content: str,
    *,
    reasoning: str = "",
    delay: float = 0,
    finish: str = "stop",
    usage: Usage = ONE_TOKEN_EACH,
) -> Turn:
    """Says it word by word, `delay` seconds before each word."""
    return Turn(
        (*_streamed(reasoning, delay, ReasoningDelta), *_streamed(content, delay, TextDelta)), finish, usage
    )


def call(
    name: str,
    arguments: Mapping[str, Any] | str | None = None,
    *,
    call_id: str | None = None,
    delay: float = 0,
) -> Turn:
    """Calls a tool. `arguments` as a string go out as they are. Add turns up for calls side by side."""
    written = (
        arguments if isinstance(arguments, str) else json.dumps(dict(arguments or {}), ensure_ascii=False)
    )
    half = len(written) // 2
    opening = ToolCallDelta(0, call_id or f"call_{name}", name, written[:half])
    return Turn((*_waits(delay), opening, *_waits(delay), ToolCallDelta(0, arguments=written[half:])))


def calls(*specs: tuple[str, Mapping[str, Any]]) -> Turn:
    """Several calls in one turn, with the ids call_1, call_2, …"""
    turns = [
        call(name, arguments, call_id=f"call_{at}") for at, (name, arguments) in enumerate(specs, start=1)
    ]
    return sum(turns[1:], turns[0])


def fails(error: BaseException, *, after: str = "") -> Turn:
    """Says `after`, then breaks off with the error."""
    return Turn((*_streamed(after, 0, TextDelta), error), finish=None)


def cut(content: str = "") -> Turn:
    """Says it, and then the stream ends without an end of the turn."""
    return Turn(_streamed(content, 0, TextDelta), finish=None)


def hangs(
    content: str = "", *, until: asyncio.Event | None = None, reached: asyncio.Event | None = None
) -> Turn:
    """Says it, sets `reached`, and then is silent: for ever, or until `until` is set, when the turn ends."""
    return Turn((*_streamed(content, 0, TextDelta), Pause(until=until, reached=reached)))


Answer = Turn | str | BaseException | Sequence[Any]
Scripted = Answer | Callable[[ModelRequest], Answer]


class ScriptedProvider:
    """Answers each request with the next turn of the script: a Turn, a string (as `text`), a list of these
    (one turn that says and calls them all), an exception (as `fails`), or a function of the request.

    The script is one list, or one argument a turn.

    `requests` holds what was asked, `open_streams` how many answers are being read, `closed_early` how many
    were left before their end. When the script is over, another request is an AssertionError.
    """

    def __init__(self, *script: Scripted | Sequence[Scripted], name: str = "scripted") -> None:
        self.name = name
        self.requests: list[ModelRequest] = []
        self.open_streams = 0
        self.closed_early = 0
        self._script: list[Any] = _listed(script)

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta]:
        self.requests.append(replace(request, entries=list(request.entries)))
        turn = self._next(request)
        self.open_streams += 1
        try:
            for step in turn.all_steps():
                if isinstance(step, BaseException):
                    raise step
                if isinstance(step, Pause):
                    await _pause(step)
                else:
                    yield step
        except (GeneratorExit, asyncio.CancelledError):
            self.closed_early += 1
            raise
        finally:
            self.open_streams -= 1

    def _next(self, request: ModelRequest) -> Turn:
        if not self._script:
            raise AssertionError("The script is over, and the model was asked again.")
        scripted = self._script.pop(0)
        return _turn(scripted(request) if callable(scripted) else scripted)


def _turn(scripted: Answer) -> Turn:
    if isinstance(scripted, Turn):
        return scripted
    if isinstance(scripted, str):
        return text(scripted)
    if isinstance(scripted, BaseException):
        return fails(scripted)
    return sum((_turn(part) for part in scripted), Turn())


def _listed(script: Sequence[Any]) -> list[Any]:
    """One argument that is a list is the script itself."""
    is_whole = len(script) == 1 and isinstance(script[0], list | tuple)
    return list(script[0] if is_whole else script)


async def _pause(pause: Pause) -> None:
    if pause.reached is not None:
        pause.reached.set()
    if pause.seconds is not None:
        await asyncio.sleep(pause.seconds)
    else:
        await (pause.until or asyncio.Event()).wait()


def _streamed(content: str, delay: float, kind: type[TextDelta] | type[ReasoningDelta]) -> tuple[Step, ...]:
    pieces = re.findall(r"\s*\S+\s*$|\s*\S+|\s+", content)
    return tuple(step for piece in pieces for step in (*_waits(delay), kind(piece)))


def _waits(seconds: float) -> tuple[Step, ...]:
    return (Pause(seconds),) if seconds else ()
