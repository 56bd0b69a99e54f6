"""Calls and their results: which belong together, what is open, and the whole form for a provider."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from agents.transcript.entries import (
    AssistantTextEntry,
    Entry,
    InputEntry,
    ReasoningEntry,
    ToolCallEntry,
    ToolResultEntry,
    json_text,
)

INTERRUPTED_RESULT = "The call was interrupted; it may or may not have run."


def pair_calls(entries: Iterable[Entry]) -> dict[int, int]:
    """Position of each answered call → position of its result.

    By occurrence, so that an id that is used again is another call: a result answers the oldest open call
    of its id in the newest turn that has one.
    """
    pairs: dict[int, int] = {}
    unanswered: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    turn, speaking = 0, False
    for position, entry in enumerate(entries):
        turn, speaking = turn + (_is_assistant(entry) and not speaking), _is_assistant(entry)
        if isinstance(entry, ToolCallEntry):
            unanswered[entry.call_id].append((turn, position))
        elif isinstance(entry, ToolResultEntry) and unanswered[entry.call_id]:
            pairs[_take_newest_turn(unanswered[entry.call_id])] = position
    return pairs


def unpaired_positions(entries: Iterable[Entry]) -> set[int]:
    """Where the calls without a result, and the results without a call, are."""
    entries = list(entries)
    pairs = pair_calls(entries)
    paired = pairs.keys() | set(pairs.values())
    return {
        position
        for position, entry in enumerate(entries)
        if isinstance(entry, ToolCallEntry | ToolResultEntry) and position not in paired
    }


def drop_dangling_tool_calls(entries: Iterable[Entry]) -> list[Entry]:
    """Without the calls that have no result (and without orphan results); all else stays as it is."""
    entries = list(entries)
    unpaired = unpaired_positions(entries)
    return [entry for position, entry in enumerate(entries) if position not in unpaired]


def pending_tool_calls(entries: Iterable[Entry]) -> list[ToolCallEntry]:
    """The unanswered calls, in order."""
    entries = list(entries)
    answered = pair_calls(entries)
    return [
        entry
        for position, entry in enumerate(entries)
        if isinstance(entry, ToolCallEntry) and position not in answered
    ]


def make_whole(entries: Iterable[Entry]) -> list[Entry]:
    """What a provider gets: behind each turn the results of its calls, in their order, one for each.

    An unanswered call gets an error result, an orphan result goes, a turn that says nothing goes, and
    arguments that are no JSON object are wrapped. Whole entries come back as they are.
    """
    entries = list(entries)
    pairs = pair_calls(entries)
    whole: list[Entry] = []
    for is_turn, group in groupby(enumerate(entries), key=lambda item: _is_assistant(item[1])):
        if is_turn:
            whole += _whole_turn(list(group), entries, pairs)
        else:
            whole += [entry for _, entry in group if isinstance(entry, InputEntry)]
    return whole


def whole_arguments(arguments: str) -> str:
    """The arguments as they may be sent: a JSON object, or what came wrapped into one as `_raw`."""
    try:
        return _sendable(arguments)
    except (ValueError, RecursionError):
        return json_text({"_raw": arguments})


def _sendable(arguments: str) -> str:
    """ValueError or RecursionError: no JSON object, or one that is nested without end."""
    parsed = json.loads(arguments, parse_constant=_refuse_constant)
    if not isinstance(parsed, dict):
        raise ValueError("not an object")
    # An escape can smuggle in half a surrogate pair, which the adapter that parses this could not encode.
    return arguments if "\\u" not in arguments else json_text(parsed)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _whole_turn(
    turn: list[tuple[int, Entry]], entries: Sequence[Entry], pairs: dict[int, int]
) -> list[Entry]:
    said: list[Entry] = []
    results: list[Entry] = []
    for position, entry in turn:
        if isinstance(entry, ToolCallEntry):
            said.append(replace(entry, arguments=whole_arguments(entry.arguments)))
            results.append(_result_of(entry, position, entries, pairs))
        elif not (isinstance(entry, AssistantTextEntry) and not entry.content.strip()):
            said.append(entry)
    if all(isinstance(entry, ReasoningEntry) for entry in said):
        return []
    return said + results


def _result_of(call: ToolCallEntry, position: int, entries: Sequence[Entry], pairs: dict[int, int]) -> Entry:
    if position in pairs:
        return entries[pairs[position]]
    return ToolResultEntry(call.call_id, INTERRUPTED_RESULT, is_error=True)


def _is_assistant(entry: Entry) -> bool:
    return isinstance(entry, AssistantTextEntry | ReasoningEntry | ToolCallEntry)


def _take_newest_turn(unanswered: list[tuple[int, int]]) -> int:
    newest = unanswered[-1][0]
    place = next(i for i, (turn, _) in enumerate(unanswered) if turn == newest)
    return unanswered.pop(place)[1]
