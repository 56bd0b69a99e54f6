"""The transcript as one provider may see it."""

from __future__ import annotations

from collections.abc import Iterable

from agents.transcript import Entry, ReasoningEntry, make_whole


def view_for(entries: Iterable[Entry], *, provider: str) -> list[Entry]:
    """Whole (every call is followed by its result), and without reasoning that another vendor signed."""
    return make_whole([entry for entry in entries if not _is_foreign(entry, provider)])


def _is_foreign(entry: Entry, provider: str) -> bool:
    return isinstance(entry, ReasoningEntry) and entry.provider != provider
