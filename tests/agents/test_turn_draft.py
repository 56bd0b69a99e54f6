"""An answer while it is being written."""

from typing import Any

import pytest

from agents.deltas import Delta, FinishDelta, ReasoningDelta, TextDelta, ToolCallDelta, UsageDelta
from agents.events import ReasoningStreamed, TextStreamed, ToolCallStreaming
from agents.runtime.draft import TurnDraft
from agents.transcript import AssistantTextEntry, Entry, ReasoningEntry, ToolCallEntry
from agents.usage import Usage


def written(*deltas: Delta) -> tuple[TurnDraft, list[Any]]:
    draft = TurnDraft(run_id="r", first_index=5, provider="vendor")
    events = [event for delta in deltas for event in draft.feed(delta)]
    return draft, [*events, *draft.close()]


def entries(*deltas: Delta) -> list[Entry]:
    return written(*deltas)[0].entries(taken=set())


def test_deltas_add_up_to_entries_in_the_order_of_their_first_word() -> None:
    deltas = (
        ReasoningDelta("Let me "),
        ReasoningDelta("see."),
        TextDelta("I "),
        TextDelta("look."),
        ToolCallDelta(0, "c1", "look", '{"a'),
        ToolCallDelta(0, arguments='": 1}'),
    )
    assert entries(*deltas) == [
        ReasoningEntry("Let me see.", provider="vendor"),
        AssistantTextEntry("I look."),
        ToolCallEntry("c1", "look", '{"a": 1}'),
    ]


def test_events_name_the_index_of_their_entry() -> None:
    _, events = written(
        ReasoningDelta("hm"), TextDelta("a"), TextDelta("b"), ReasoningDelta("so"), TextDelta("c")
    )
    assert events == [
        ReasoningStreamed("r", 5, "hm"),
        TextStreamed("r", 6, "a"),
        TextStreamed("r", 6, "b"),
        ReasoningStreamed("r", 7, "so"),
        TextStreamed("r", 8, "c"),
    ]


def test_text_behind_a_call_goes_to_the_text_before_it() -> None:
    draft, events = written(TextDelta("a"), ToolCallDelta(0, "c1", "look"), TextDelta("b"))
    assert draft.entries(taken=set()) == [AssistantTextEntry("ab"), ToolCallEntry("c1", "look", "")]
    assert [event.index for event in events if isinstance(event, TextStreamed)] == [5, 5]


def test_a_call_is_announced_once_when_its_name_is_known() -> None:
    deltas = (ToolCallDelta(0, "c1"), ToolCallDelta(0, None, "look"), ToolCallDelta(0, "c1", "look", "{}"))
    assert written(*deltas)[1] == [ToolCallStreaming("r", "look", 0)]


@pytest.mark.parametrize(
    "pieces, expected",
    [
        (["a\r", "\nb"], "a\nb"),
        (["a\ud83d", "\ude00b"], "a😀b"),
        (["a\ud83d", "b"], "a\ufffdb"),
        (["a\ud83d"], "a\ufffd"),
        (["a\r"], "a\r"),
        (["\x00"], "\ufffd"),
        (["x" * 1_000_000, "شالوم", "漢字"], "x" * 1_000_000 + "شالوم漢字"),
    ],
)
def test_what_is_shown_adds_up_to_exactly_what_is_stored(pieces: list[str], expected: str) -> None:
    draft, events = written(*map(TextDelta, pieces))
    assert "".join(event.text for event in events) == expected
    assert draft.entries(taken=set()) == [AssistantTextEntry(expected)]


def test_what_the_border_held_back_is_shown_before_the_next_entry_begins() -> None:
    _, events = written(ReasoningDelta("a\r"), TextDelta("b"))
    assert events == [
        ReasoningStreamed("r", 5, "a"),
        ReasoningStreamed("r", 5, "\r"),
        TextStreamed("r", 6, "b"),
    ]


def test_nothing_said_is_nothing() -> None:
    draft, events = written(TextDelta(""), ReasoningDelta(""), UsageDelta(Usage(1, 2)), FinishDelta("stop"))
    assert (events, draft.entries(taken=set()), draft.has_content) == ([], [], False)
    assert (draft.usage, draft.finish_reason) == (Usage(1, 2), "stop")


def test_another_id_begins_another_reasoning() -> None:
    assert entries(ReasoningDelta("a", id="1"), ReasoningDelta("b", id="2")) == [
        ReasoningEntry("a", "1", "vendor"),
        ReasoningEntry("b", "2", "vendor"),
    ]


@pytest.mark.parametrize("between", [[], [TextDelta("x")]])
def test_a_signature_joins_the_reasoning_that_it_signs(between: list[Delta]) -> None:
    signature = ReasoningDelta(metadata={"signature": "s"})
    assert entries(ReasoningDelta("a"), *between, signature)[0] == ReasoningEntry(
        "a", None, "vendor", {"signature": "s"}
    )


def test_reasoning_without_words_is_kept_for_what_it_carries() -> None:
    redacted = ReasoningDelta(id="1", provider="other", metadata={"encrypted": "x"})
    assert entries(redacted) == [ReasoningEntry("", "1", "other", {"encrypted": "x"})]


def test_ids_are_made_where_there_are_none_and_kept_apart() -> None:
    draft, _ = written(
        *(ToolCallDelta(slot, call_id, "look", "{}") for slot, call_id in enumerate(["a", "a", None]))
    )
    first, second, third = (getattr(e, "call_id", "") for e in draft.entries(taken={"a"}))
    assert (first, second) == ("a-2", "a-3")
    assert third.startswith("call_")


@pytest.mark.parametrize(
    "name, kept", [("look it up!", "look_it_up_"), ("", "unknown"), ("x" * 99, "x" * 64)]
)
def test_a_made_up_name_becomes_one_that_vendors_take_back(name: str, kept: str) -> None:
    (call,) = entries(ToolCallDelta(0, "c1", name, "{}"))
    assert isinstance(call, ToolCallEntry)
    assert call.name == kept
