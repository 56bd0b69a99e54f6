"""The one rule for partial text: frames whose index is not stored yet, after the last `text_withdrawn`.

Page, snapshot, export and fold all read it here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from agents.transcript import AssistantTextEntry, Entry, ReasoningEntry
from chatapp.eventlog.frames import Frame

Kind = Literal["text", "reasoning"]
_KINDS: dict[str, Kind] = {"text_delta": "text", "reasoning_delta": "reasoning"}


@dataclass(frozen=True, slots=True)
class PartialText:
    """What was shown of one entry that is not stored yet. `index` is the one it will have in the run."""

    index: int
    kind: Kind
    text: str


def partial_of(frames: Iterable[Frame], stored: int) -> list[PartialText]:
    """The texts shown beyond the first `stored` entries, by index."""
    shown: dict[tuple[int, Kind], list[str]] = {}
    for frame in frames:
        if frame["type"] == "text_withdrawn":
            shown.clear()
        kind = _KINDS.get(frame["type"])
        if kind and frame["index"] >= stored:
            shown.setdefault((frame["index"], kind), []).append(frame["text"])
    return [PartialText(index, kind, "".join(texts)) for (index, kind), texts in sorted(shown.items())]


def partial_text(frames: Iterable[Frame], stored: int) -> str:
    """The assistant's text shown and not stored yet; "" where there is none."""
    return "".join(part.text for part in partial_of(frames, stored) if part.kind == "text")


def partial_entries(frames: Iterable[Frame], stored: int) -> list[Entry]:
    """The same as entries for a fold: assistant text marked partial, reasoning as it is."""
    return [_entry(part) for part in partial_of(frames, stored) if part.text]


def _entry(part: PartialText) -> Entry:
    if part.kind == "text":
        return AssistantTextEntry(content=part.text, partial=True)
    return ReasoningEntry(content=part.text)
