"""Entries, their JSON, and the border that all text passes."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.transcript import (
    AssistantTextEntry,
    Entry,
    InputEntry,
    ReasoningEntry,
    TextCleaner,
    ToolCallEntry,
    ToolResultEntry,
    clean_json,
    clean_text,
    entry_from_dict,
    entry_from_json,
    entry_to_dict,
    entry_to_json,
)
from agents.usage import Usage

ENTRIES: list[Entry] = [
    InputEntry("user", "hello"),
    InputEntry("system", [{"type": "text", "text": "a"}, {"type": "image", "url": "https://e.org/i.png"}]),
    AssistantTextEntry("hi"),
    AssistantTextEntry("cut o", id="m1", partial=True),
    ReasoningEntry("hmm", id="r1", provider="anthropic", metadata={"signature": "abc"}),
    ToolCallEntry("c1", "lookup", '{"word": "x"}'),
    ToolCallEntry("c2", "lookup", '{"wor'),
    ToolResultEntry("c1", "found", raw={"n": [1, 2.5, None]}, seconds=0.25),
    ToolResultEntry("c2", "no", is_error=True, parts=[{"type": "file", "data": "AA==", "name": "a.bin"}]),
]
# Any string, with lone surrogates and NUL.
ANY_TEXT = st.text(st.characters(codec=None))


@pytest.mark.parametrize("entry", ENTRIES, ids=repr)
def test_an_entry_comes_back_from_its_json(entry: Entry) -> None:
    assert entry_from_dict(entry_to_dict(entry)) == entry
    assert entry_from_json(entry_to_json(entry)) == entry


def test_the_json_of_an_entry() -> None:
    assert entry_to_dict(ENTRIES[0]) == {"type": "input", "role": "user", "content": "hello"}
    assert entry_to_dict(ENTRIES[2]) == {"type": "assistant_text", "content": "hi", "id": None}
    assert entry_to_dict(ENTRIES[3])["partial"] is True
    assert [entry_to_dict(entry)["type"] for entry in ENTRIES[4:8]] == [
        "reasoning",
        "tool_call",
        "tool_call",
        "tool_result",
    ]


@pytest.mark.parametrize(
    "data",
    [
        {"type": "video"},
        {},
        {"type": None},
        {"type": "assistant_text"},
        {"type": "assistant_text", "content": None},
        {"type": "tool_call", "call_id": 7, "name": "f", "arguments": "{}"},
        {"type": "tool_call", "call_id": "c", "name": "f", "arguments": {}},
        {"type": "input", "role": "assistant", "content": "x"},
    ],
)
def test_what_is_no_entry_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        entry_from_dict(data)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"input"', '{"type": "input"}'])
def test_json_that_is_no_entry_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        entry_from_json(text)


def test_unknown_fields_are_ignored_and_missing_ones_get_their_defaults() -> None:
    data = {"type": "tool_result", "call_id": "c1", "output": "x", "colour": "red"}
    assert entry_from_dict(data) == ToolResultEntry("c1", "x")
    assert entry_from_dict({"type": "reasoning", "content": "x"}) == ReasoningEntry("x", metadata={})


@pytest.mark.parametrize("seconds", ["long", -1, float("nan"), [1]])
def test_a_duration_that_is_none_is_left_out(seconds: Any) -> None:
    data = {"type": "tool_result", "call_id": "c1", "output": "x", "seconds": seconds}
    assert entry_from_dict(data) == ToolResultEntry("c1", "x")
    assert entry_from_dict(data | {"seconds": 1.5}) == ToolResultEntry("c1", "x", seconds=1.5)


@pytest.mark.parametrize("raw", [float("nan"), {1, 2}, object(), {"a": [float("inf")]}, lambda: 1])
def test_raw_is_kept_only_if_it_is_json(raw: Any) -> None:
    assert entry_to_dict(ToolResultEntry("c1", "x", raw=raw))["raw"] is None
    given = {"type": "tool_result", "call_id": "c1", "output": "x", "raw": raw}
    assert entry_from_dict(given) == ToolResultEntry("c1", "x")
    assert entry_from_json(entry_to_json(ToolResultEntry("c1", "x", raw=raw))).raw is None  # type: ignore[union-attr]


def test_an_entry_and_its_dict_share_nothing() -> None:
    entry = ReasoningEntry("x", metadata={"a": [1]})
    entry_to_dict(entry)["metadata"]["a"].append(2)
    data = {"type": "reasoning", "content": "x", "metadata": {"a": [1]}}
    made = entry_from_dict(data)
    data["metadata"]["a"].append(2)  # type: ignore[index]
    assert entry == made == ReasoningEntry("x", metadata={"a": [1]})


@pytest.mark.parametrize(
    ("dirty", "clean"),
    [
        ("plain", "plain"),
        ("a\r\nb\rc\n", "a\nb\rc\n"),
        ("nul\x00", "nul\ufffd"),
        ("\ud83d", "\ufffd"),
        ("x\ude00\ud83dy", "x\ufffd\ufffdy"),
        ("\ud83d\ude00", "😀"),
        ("שלום 你好 👩‍👩‍👧 é", "שלום 你好 👩‍👩‍👧 é"),
    ],
)
def test_the_border(dirty: str, clean: str) -> None:
    assert clean_text(dirty) == clean


@given(ANY_TEXT)
def test_what_passed_the_border_can_be_stored_and_passes_it_again_unchanged(text: str) -> None:
    clean = clean_text(text)
    assert "\x00" not in clean
    assert "\r\n" not in clean
    assert clean.encode().decode() == clean
    assert clean_text(clean) == clean


@given(st.lists(ANY_TEXT | st.sampled_from(["\r", "\n", "\ud83d", "\ude00", "a"])))
def test_deltas_add_up_to_the_clean_whole(deltas: list[str]) -> None:
    cleaner = TextCleaner()
    streamed = "".join([*(cleaner.feed(delta) for delta in deltas), cleaner.flush()])
    assert streamed == clean_text("".join(deltas))


def test_half_a_pair_waits_for_its_other_half() -> None:
    cleaner = TextCleaner()
    assert [cleaner.feed("a\ud83d"), cleaner.feed("\ude00b\r"), cleaner.feed("\nc\ud83d")] == [
        "a",
        "😀b",
        "\nc",
    ]
    assert (cleaner.flush(), cleaner.flush()) == ("\ufffd", "")


def test_json_is_cleaned_in_every_string_and_key() -> None:
    value = {"a\x00": ["\ud83d", {"b": "c\r\n"}, 1, True, None, (2.5, float("nan"))]}
    assert clean_json(value) == {"a\ufffd": ["\ufffd", {"b": "c\n"}, 1, True, None, [2.5, None]]}


@given(st.dictionaries(ANY_TEXT, st.lists(ANY_TEXT | st.floats() | st.integers() | st.none())))
def test_an_entry_is_clean_once_it_is_json(metadata: dict[str, Any]) -> None:
    stored = entry_to_json(ReasoningEntry("\ud83d\x00", metadata=metadata))
    stored.encode()
    assert json.loads(stored) == clean_json({"type": "reasoning", **_fields("\ud83d\x00", metadata)})


def test_a_megabyte_of_text_passes() -> None:
    text = "x😀" * 500_000
    assert entry_from_json(entry_to_json(AssistantTextEntry(text))) == AssistantTextEntry(text)


def test_usage_adds_up_and_reads_what_it_knows() -> None:
    used = Usage(10, 5, cache_read_tokens=3) + Usage(1, 2, cache_write_tokens=4)
    assert used == Usage(11, 7, 3, 4)
    assert Usage.from_dict({**used.to_dict(), "seconds": 3, "cache_read_tokens": None}) == Usage(11, 7, 0, 4)
    assert Usage.from_dict(None) == Usage()


def _fields(content: str, metadata: dict[str, Any]) -> dict[str, Any]:
    return {"content": content, "id": None, "provider": None, "metadata": metadata}
