"""Where a very long run may be split: never between a call and its result. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agents.transcript import ToolCallEntry, ToolResultEntry
from chatapp.history.parts import Indexed


def beginning_whole(entries: Sequence[Indexed]) -> Sequence[Indexed]:
    """A piece without what belongs to the piece before: all up to the last result whose call is not in it.

    Empty where its calls and their results are all of one turn, which began before.
    """
    while orphan := _after_last_orphan(entries):
        entries = entries[orphan:]
    return entries


def _after_last_orphan(entries: Sequence[Indexed]) -> int:
    called: set[str] = set()
    after = 0
    for position, (_, entry) in enumerate(entries):
        if isinstance(entry, ToolCallEntry):
            called.add(entry.call_id)
        elif isinstance(entry, ToolResultEntry) and entry.call_id not in called:
            after = position + 1
    return after


def whole_piece(read: Callable[[int], Sequence[Indexed]], reach: int) -> Sequence[Indexed]:
    """What `read(reach)` gives, the newest so many entries, without what belongs to the piece before.

    It is read from further back where nothing would be left.
    """
    entries = read(reach)
    if not entries or entries[0][0] == 0:
        return entries
    is_all = reach > entries[-1][0]
    return beginning_whole(entries) or (entries if is_all else whole_piece(read, reach * 4))
