"""A thread's history for reading: turns as the page shows them, the stored JSON beside each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agents.transcript import UnreadableEntry, entry_to_dict
from chatapp.history.fold import RunRecord, build_turn
from chatapp.history.parts import Indexed
from chatapp.history.records import load_records
from chatapp.history.tools import tool_facts
from chatapp.history.turns import Turn
from chatapp.models import Thread


@dataclass(frozen=True, slots=True)
class Stored:
    """One run: how it looks, and what is in the database."""

    turn: Turn
    place: str  # "segment" or "checkpoint"
    entries: str
    meta: str


@dataclass(frozen=True, slots=True)
class Conversation:
    runs: tuple[Stored, ...]
    before: str | None


def conversation_of(thread: Thread, *, before: str | None = None) -> Conversation:
    """One page of a thread, the newest runs last. Raises BadCursor."""
    records = load_records(thread, before=before)
    tools = tool_facts(thread.assistant)
    runs = tuple(
        Stored(build_turn(r, tools=tools), place_of(r), entries_of(r.entries), meta_of(r))
        for r in records.runs
    )
    return Conversation(runs, records.before)


def place_of(record: RunRecord) -> str:
    return "checkpoint" if record.flight else "segment"


def entries_of(entries: Sequence[Indexed]) -> str:
    return as_json([as_dict(index, entry) for index, entry in entries])


def as_dict(index: int, entry: Any) -> dict[str, Any]:
    if isinstance(entry, UnreadableEntry):
        return {"index": index, "unreadable": entry.reason, "record": entry.record}
    return {"index": index, **entry_to_dict(entry)}


def meta_of(record: RunRecord) -> str:
    if record.flight is None:
        return as_json(record.meta)
    head = record.flight.head
    return as_json(
        {
            "status": record.flight.status,
            "agent": head.agent_name,
            "turns": head.turns,
            "usage": head.usage.to_dict(),
            "started_calls": head.started_calls,
            "error": head.error,
            "stop_requested": record.flight.stop_requested,
        }
    )


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)
