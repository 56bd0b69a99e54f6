"""What a model gets to see, and what it costs about."""

import pytest

from agents.context import dropped_call_notes, estimate_entries, estimate_text, view_for
from agents.session import Segment
from agents.transcript import (
    INTERRUPTED_RESULT,
    AssistantTextEntry,
    Entry,
    InputEntry,
    ReasoningEntry,
    ToolCallEntry,
    ToolResultEntry,
)

ASKED = InputEntry("user", "hello")


def test_the_view_is_whole_and_without_foreign_reasoning() -> None:
    entries: list[Entry] = [
        ASKED,
        ReasoningEntry("theirs", provider="a"),
        ReasoningEntry("ours", provider="b"),
        AssistantTextEntry("I look."),
        ToolCallEntry("c1", "look", "{}"),
        InputEntry("user", "well?"),
    ]
    assert view_for(entries, provider="b") == [
        ASKED,
        *entries[2:5],
        ToolResultEntry("c1", INTERRUPTED_RESULT, is_error=True),
        entries[5],
    ]
    assert len(entries) == 6


@pytest.mark.parametrize(
    "meta", [None, {}, {"dropped_calls": None}, {"dropped_calls": "x"}, {"dropped_calls": [3]}]
)
def test_segments_without_dropped_calls_give_no_notes(meta: dict[str, object] | None) -> None:
    assert dropped_call_notes([Segment("r", [ASKED], meta)]) == []


def test_only_calls_that_had_started_are_told_and_long_arguments_cut() -> None:
    dropped = [
        {"call_id": "1", "name": "pay", "arguments": "x" * 2_000, "started": True},
        {"call_id": "2", "name": "look", "arguments": "{}", "started": False},
    ]
    (note,) = dropped_call_notes([Segment("r", [ASKED], {"dropped_calls": dropped})])
    assert note.startswith("An earlier call of pay with xxx")
    assert len(note) < 700


def test_old_segments_are_not_told_for_ever() -> None:
    dropped = [{"call_id": "1", "name": "pay", "arguments": "{}", "started": True}]
    old = Segment("r", [ASKED], {"dropped_calls": dropped})
    later = [Segment(str(number), [ASKED], {}) for number in range(10)]
    assert len(dropped_call_notes([old, *later[:9]])) == 1
    assert dropped_call_notes([old, *later]) == []


@pytest.mark.parametrize("text, low, high", [("", 0, 0), ("word " * 100, 100, 150), ("漢字" * 50, 90, 110)])
def test_estimates_are_about_right(text: str, low: int, high: int) -> None:
    assert low <= estimate_text(text) <= high


def test_every_kind_of_entry_counts() -> None:
    entries: list[Entry] = [
        ASKED,
        InputEntry("user", [{"type": "text", "text": "x" * 40}]),
        AssistantTextEntry("x" * 40),
        ReasoningEntry("x" * 40),
        ToolCallEntry("c", "look", "x" * 40),
        ToolResultEntry("c", "x" * 40),
    ]
    assert all(estimate_entries([entry]) > 4 for entry in entries)
