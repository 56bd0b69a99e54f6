"""The one rule for partial text."""

from agents.transcript import AssistantTextEntry, ReasoningEntry
from chatapp.eventlog import PartialText, partial_entries, partial_of, partial_text


def delta(index: int, text: str, kind: str = "text_delta") -> dict[str, object]:
    return {"type": kind, "index": index, "text": text}


def test_text_beyond_what_is_stored_is_partial():
    frames = [delta(1, "stored"), delta(3, "Hel"), delta(3, "lo")]
    assert partial_of(frames, stored=3) == [PartialText(3, "text", "Hello")]


def test_withdrawn_text_is_gone_and_its_replacement_stays():
    frames = [delta(1, "first try"), {"type": "text_withdrawn"}, delta(1, "second")]
    assert partial_text(frames, stored=1) == "second"


def test_text_stays_until_its_replacement_is_there():
    frames = [delta(1, "first try"), {"type": "retry", "attempt": 2, "of": 4}]
    assert partial_text(frames, stored=1) == "first try"


def test_a_fold_marks_text_as_partial_and_keeps_the_order_of_the_entries():
    frames = [delta(1, "hm", "reasoning_delta"), delta(2, "So "), delta(2, "far")]
    assert partial_entries(frames, stored=1) == [
        ReasoningEntry(content="hm"),
        AssistantTextEntry(content="So far", partial=True),
    ]


def test_nothing_shown_is_nothing_partial():
    assert partial_entries([{"type": "run_started"}, delta(1, "")], stored=1) == []
