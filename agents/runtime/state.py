"""The one place where a run's state changes while it runs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agents.agent import Agent
from agents.checkpoint import RunHead
from agents.run_info import RunInfo
from agents.transcript import Entry, InputEntry, ToolCallEntry
from agents.usage import Usage

REASONING_KEPT = 20
"""Of how many parts the head says how long they took: it must stay small."""


@dataclass(slots=True)
class RunState:
    """`entries` are the run's own; the first `stored` of them are in the checkpoint. `history` and `notes`
    come before them in a request and belong to the session. `head` is what the next save writes.

    `turn` is the one that goes on, `head.turns` counts those that are whole. `begun`: the checkpoint exists,
    by this run's hand or an earlier one's. `running_calls`: those that a tool has really begun, of which the
    head knows a little earlier. `withdraw`: text was shown that is void as soon as something
    replaces it. `repair`: what the next request says beyond the transcript about an answer that did not fit;
    `shows_misfit`: that answer is still shown, and must not stay so if nothing replaces it.
    """

    run_id: str
    agent: Agent
    head: RunHead
    entries: list[Entry]
    stored: int = 0
    history: list[Entry] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    deps: Any = None
    turn: int = 0
    resumed: bool = False
    running_calls: set[str] = field(default_factory=set)
    begun: bool = False
    withdraw: bool = False
    repair: list[Entry] = field(default_factory=list)
    repaired: bool = False
    shows_misfit: bool = False
    finish_reason: str | None = None
    usage_estimated: bool = False
    reasoning_seconds: dict[str, float] = field(default_factory=dict)
    call_ids: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.call_ids |= {entry.call_id for entry in self.entries if isinstance(entry, ToolCallEntry)}
        self.running_calls |= set(self.head.started_calls)
        self.usage_estimated |= self.head.usage_estimated
        whole = {str(index) for index in range(len(self.entries))}
        self.reasoning_seconds |= {
            index: seconds for index, seconds in self.head.reasoning_seconds.items() if index in whole
        }

    def update(self, **changes: Any) -> None:
        self.head = replace(self.head, **changes)

    def add(self, entries: Sequence[Entry]) -> None:
        self.entries += entries
        self.call_ids |= {entry.call_id for entry in entries if isinstance(entry, ToolCallEntry)}

    def note_reasoning(self, seconds: dict[str, float]) -> None:
        """How long the model has thought in a turn that may not become whole."""
        newest = list((self.reasoning_seconds | seconds).items())[-REASONING_KEPT:]
        self.update(reasoning_seconds=dict(newest))

    def begin_turn_of(self, call_ids: Sequence[str]) -> None:
        """These calls of a new turn start now. What was known of the calls before it is in their results."""
        self.update(started_calls=[], call_started_at={}, tool_seconds={})
        self.start_calls(call_ids)

    def start_calls(self, call_ids: Sequence[str]) -> None:
        now = dict.fromkeys(call_ids, round(time.time(), 3))
        known = self.head
        self.update(
            started_calls=[*known.started_calls, *call_ids], call_started_at=known.call_started_at | now
        )

    def add_usage(self, usage: Usage) -> None:
        self.update(usage=self.head.usage + usage)

    @property
    def input(self) -> list[InputEntry]:
        """The run's own input: what stands before anything else in its log."""
        given: list[InputEntry] = []
        for entry in self.entries:
            if not isinstance(entry, InputEntry):
                break
            given.append(entry)
        return given

    def info(self) -> RunInfo:
        return RunInfo(self.run_id, self.head.session_id, self.agent.name, self.turn, self.deps)
