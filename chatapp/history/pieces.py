"""Where a very long run may be split: never between a call and its result. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from agents.transcript import ToolCallEntry, ToolResultEntry
from chatapp.history.parts import Indexed


def beginning_whole(entries: Sequence[Indexed]) -> Sequence[Indexed]:
    """A piece without what belongs to the piece before: all up to the last result whose call is not here.

    All of it, if nothing were left.
    """
    called: set[str] = set()
    orphan = -1
    for position, (_, entry) in enumerate(entries):
        if isinstance(entry, ToolCallEntry):
            called.add(entry.call_id)
        elif isinstance(entry, ToolResultEntry) and entry.call_id not in called:
            orphan = position
    return entries[orphan + 1 :] or entries


def torn_entries(entries: Sequence[Indexed]) -> int:
    """How many entries at its beginning a piece must leave to the one before."""
    return len(entries) - len(beginning_whole(entries))
