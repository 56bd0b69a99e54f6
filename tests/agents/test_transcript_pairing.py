"""Which result answers which call, and the whole form of a transcript."""

import json
from itertools import groupby, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.transcript import (
    INTERRUPTED_RESULT,
    AssistantTextEntry,
    Entry,
    InputEntry,
    ReasoningEntry,
    ToolCallEntry,
    ToolResultEntry,
    drop_dangling_tool_calls,
    make_whole,
    pair_calls,
    pending_tool_calls,
)


def call(call_id: str, arguments: str = "{}") -> ToolCallEntry:
    return ToolCallEntry(call_id, "f", arguments)


def result(call_id: str, output: str = "ok") -> ToolResultEntry:
    return ToolResultEntry(call_id, output)


def lost(call_id: str) -> ToolResultEntry:
    return ToolResultEntry(call_id, INTERRUPTED_RESULT, is_error=True)


USER = InputEntry("user", "go")
TEXT = AssistantTextEntry("said")
THOUGHT = ReasoningEntry("thought")
END: list[Entry] = []

# Few ids, so that they are used again; blank texts and arguments that are no objects.
ANY_ENTRY: st.SearchStrategy[Entry] = st.one_of(
    st.builds(InputEntry, st.just("user"), st.text(min_size=1)),
    st.builds(AssistantTextEntry, st.sampled_from(["", " \n", "text"])),
    st.builds(ReasoningEntry, st.text()),
    st.builds(
        ToolCallEntry, st.sampled_from("abc"), st.just("f"), st.sampled_from(["{}", '{"a": 1}', "[1]", '{"a'])
    ),
    st.builds(ToolResultEntry, st.sampled_from("abc"), st.text()),
)
TRANSCRIPT = st.lists(ANY_ENTRY, max_size=25)


@pytest.mark.parametrize(
    ("entries", "kept"),
    [
        ([USER, THOUGHT, TEXT, call("1")], [USER, THOUGHT, TEXT]),
        ([call("1"), call("2"), result("2")], [call("2"), result("2")]),
        ([result("1"), TEXT], [TEXT]),
        ([call("1"), result("1"), result("1")], [call("1"), result("1")]),
        # The same id again is another call.
        ([call("1"), result("1"), call("1")], [call("1"), result("1")]),
        ([call("1", "a"), USER, call("1", "b"), result("1")], [USER, call("1", "b"), result("1")]),
        ([call("1", "a"), call("1", "b"), result("1")], [call("1", "a"), result("1")]),
    ],
)
def test_dropping_dangling_calls(entries: list[Entry], kept: list[Entry]) -> None:
    assert drop_dangling_tool_calls(entries) == kept


def test_pending_calls_are_the_unanswered_ones_in_order() -> None:
    entries: list[Entry] = [call("1"), call("2"), call("3"), result("2"), TEXT, call("2")]
    assert pending_tool_calls(entries) == [call("1"), call("3"), call("2")]


@given(TRANSCRIPT)
def test_dropping_leaves_pairs_only_and_all_else_in_order(entries: list[Entry]) -> None:
    kept = drop_dangling_tool_calls(entries)
    assert pending_tool_calls(kept) == []
    assert drop_dangling_tool_calls(kept) == kept
    assert [e for e in kept if not _is_tool(e)] == [e for e in entries if not _is_tool(e)]
    pairs = pair_calls(entries)
    assert len(kept) == sum(not _is_tool(e) for e in entries) + 2 * len(pairs)


@given(TRANSCRIPT)
def test_a_pair_is_a_call_and_a_later_result_of_its_id_and_each_is_in_one(entries: list[Entry]) -> None:
    pairs = pair_calls(entries)
    assert len(set(pairs.values())) == len(pairs)
    for at, answer in pairs.items():
        assert at < answer
        assert isinstance(entries[at], ToolCallEntry)
        assert isinstance(entries[answer], ToolResultEntry)
        assert entries[at].call_id == entries[answer].call_id  # type: ignore[union-attr]


def test_an_unanswered_call_gets_an_error_result_right_behind_it() -> None:
    assert make_whole([USER, call("1"), USER]) == [USER, call("1"), lost("1"), USER]


def test_the_results_of_a_turn_stand_behind_it_in_the_order_of_its_calls() -> None:
    turn: list[Entry] = [TEXT, call("1"), call("2"), call("3")]
    stored = [USER, *turn, result("3"), result("1"), TEXT]
    assert make_whole(stored) == [USER, *turn, result("1"), lost("2"), result("3"), TEXT]


def test_no_result_claims_success_for_a_call_that_was_cut_off() -> None:
    (answer,) = [e for e in make_whole([call("1")]) if isinstance(e, ToolResultEntry)]
    assert answer.is_error
    assert "may or may not have run" in answer.output


def test_what_says_nothing_is_not_sent() -> None:
    empty: list[Entry] = [AssistantTextEntry(""), AssistantTextEntry(" \n")]
    assert make_whole([USER, *empty, USER, THOUGHT, USER]) == [USER, USER, USER]
    assert make_whole([USER, THOUGHT, *empty, call("1"), result("1")]) == [
        USER,
        THOUGHT,
        call("1"),
        result("1"),
    ]


DEEP = '{"a":' * 900 + r'"\ud83d"' + "}" * 900


@pytest.mark.parametrize("arguments", ["", "{", "[1]", "null", '"x"', '{"a": NaN}', '{"a": 1}}', DEEP])
def test_arguments_that_are_no_object_are_wrapped_for_the_provider(arguments: str) -> None:
    whole = make_whole([call("1", arguments), result("1")])
    assert json.loads(whole[0].arguments) == {"_raw": arguments}  # type: ignore[union-attr]


def test_arguments_that_are_an_object_go_as_they_came() -> None:
    assert make_whole([call("1", '{ "a" : 1 }'), result("1")])[0] == call("1", '{ "a" : 1 }')


def test_half_a_surrogate_pair_does_not_hide_in_an_escape() -> None:
    (sent, _) = make_whole([call("1", '{"a": "\\ud83d"}'), result("1")])
    assert json.loads(sent.arguments) == {"a": "\ufffd"}  # type: ignore[union-attr]


@given(TRANSCRIPT)
def test_a_whole_transcript_is_one_that_a_strict_server_takes(entries: list[Entry]) -> None:
    whole = make_whole(entries)
    turns: list[list[Entry]] = [list(group) for _, group in groupby(whole, key=_speaker)]
    for turn, answers in pairwise([*turns, END]):
        if _speaker(turn[0]) == "assistant":
            assert any(isinstance(e, ToolCallEntry | AssistantTextEntry) for e in turn)
            ids = [e.call_id for e in turn if isinstance(e, ToolCallEntry)]
            assert ids == [e.call_id for e in answers if isinstance(e, ToolResultEntry)]
    assert _speaker(whole[0]) != "tool" if whole else True
    assert all(isinstance(json.loads(e.arguments), dict) for e in whole if isinstance(e, ToolCallEntry))


@given(TRANSCRIPT)
def test_making_whole_changes_nothing_that_is_whole_and_nothing_stored(entries: list[Entry]) -> None:
    before = list(entries)
    whole = make_whole(entries)
    assert make_whole(whole) == whole
    assert entries == before


@given(TRANSCRIPT, st.data())
def test_every_cut_of_a_transcript_can_be_made_whole(entries: list[Entry], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(entries)))
    kept = drop_dangling_tool_calls(entries[:at])
    assert not pending_tool_calls(kept)
    assert sum(e == lost(e.call_id) for e in make_whole(kept) if isinstance(e, ToolResultEntry)) == 0


def _is_tool(entry: Entry) -> bool:
    return isinstance(entry, ToolCallEntry | ToolResultEntry)


def _speaker(entry: Entry) -> str:
    match entry:
        case InputEntry():
            return "user"
        case ToolResultEntry():
            return "tool"
    return "assistant"
