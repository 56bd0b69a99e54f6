"""Words in the stored text of sessions: a bounded scan, of the newest runs only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from django.db.models import Q

from agents.models import Entry, Segment
from agents.transcript import AssistantTextEntry, InputEntry, entry_from_json, json_text

MAX_ENTRIES = 20_000
MAX_RUNS = 2_000
MAX_FOUND = 500

Kind = Literal["input", "assistant_text"]
KINDS: tuple[Kind, ...] = ("input", "assistant_text")


@dataclass(frozen=True, slots=True)
class FoundText:
    """One entry that holds at least one of the words."""

    session_id: str
    run_id: str
    index: int
    type: Kind
    text: str
    at: datetime


def find_text(
    session_ids: Sequence[str], words: Iterable[str], *, max_entries: int = MAX_ENTRIES
) -> list[FoundText]:
    """What people and assistants said in these sessions with any of the words in it, the newest first.

    Case does not count, and parts of words do. Two queries. Runs are looked at from the newest on until they
    hold `max_entries` entries; the newest 500 matches come back.
    """
    wanted = [word.lower() for word in words if word]
    if not session_ids or not wanted:
        return []
    runs = newest_runs(session_ids, max_entries)
    rows = Entry.objects.filter(log__in=list(runs), type__in=KINDS).filter(any_of(wanted))
    found = [match for row in rows.iterator() if (match := read_match(row, runs[row.log], wanted))]
    order = {(run.session_id, run.run_id): place for place, run in enumerate(runs.values())}
    found.sort(key=lambda match: (order[match.session_id, match.run_id], -match.index))
    return found[:MAX_FOUND]


def newest_runs(session_ids: Sequence[str], max_entries: int) -> dict[UUID, Segment]:
    segments = Segment.objects.filter(session_id__in=session_ids).order_by("-id")
    runs: dict[UUID, Segment] = {}
    left = max_entries
    for segment in segments.only("session_id", "run_id", "log", "length", "created_at")[:MAX_RUNS]:
        if runs and left < segment.length:
            break
        runs[segment.log] = segment
        left -= segment.length
    return runs


def any_of(words: Sequence[str]) -> Q:
    """A sieve over the stored JSON, which may let too much through: its keys look like words too."""
    inside = "|".join(re.escape(json_text(word)[1:-1]) for word in words)
    return Q(data__iregex=inside)


def read_match(row: Entry, segment: Segment, words: Sequence[str]) -> FoundText | None:
    try:
        entry = entry_from_json(row.data)
    except ValueError:
        return None  # a damaged row is named where the thread is shown
    text = text_of(entry) if isinstance(entry, InputEntry | AssistantTextEntry) else ""
    lower = text.lower()
    if not any(word in lower for word in words):
        return None
    kind: Kind = "input" if isinstance(entry, InputEntry) else "assistant_text"
    return FoundText(segment.session_id, segment.run_id, row.index, kind, text, segment.created_at)


def text_of(entry: InputEntry | AssistantTextEntry) -> str:
    if isinstance(entry.content, str):
        return entry.content
    return "\n".join(part.get("text", "") for part in entry.content if part["type"] == "text")
