"""Words in the stored text of sessions."""

import pytest
from pytest_django import DjangoAssertNumQueries

from agents.models import Entry as EntryRow
from agents.stores.orm.search import MAX_FOUND, find_text
from agents.stores.orm.sessions import append_segment
from agents.transcript import (
    AssistantTextEntry,
    Entry,
    InputEntry,
    ReasoningEntry,
    ToolCallEntry,
    ToolResultEntry,
)

pytestmark = pytest.mark.django_db


def say(text: str, *, session: str = "s", run_id: str | None = None) -> str:
    return append_segment(session, [InputEntry("user", text)], run_id=run_id)


def found(*words: str, session: str = "s") -> list[str]:
    return [match.text for match in find_text([session], words)]


@pytest.mark.parametrize(
    "text, word",
    [
        ("The Rent is high", "rent"),
        ("the rent is high", "RENT"),
        ("Dorn & SÖHNE", "söhne"),
        ("我们下周去东京", "东京"),
        ("written in C++ 17", "c++"),
        ("it is 100% sure", "100%"),
        ("call foo_bar twice", "foo_bar"),
        ("a.*b", ".*"),
        ('he said "now" then', '"now"'),
        ("C:\\temp\\x", "\\temp"),
        ("one\ntwo", "two"),
        ("e\u0301tude 😀", "😀"),
        ("in the middle of words", "iddl"),
    ],
)
def test_a_word_is_found_wherever_it_stands(text: str, word: str) -> None:
    say("something else")
    say(text)
    assert found(word) == [text]


@pytest.mark.parametrize("word", ["content", "input", "role", "user", "null", "foo%bar", "fooXbar", "rentt"])
def test_what_is_not_in_the_text_is_not_found(word: str) -> None:
    say("the rent of foo_bar")
    assert found(word) == []


def test_only_what_was_said_is_searched() -> None:
    said: list[Entry] = [
        InputEntry("user", [{"type": "text", "text": "apple one"}, {"type": "image", "url": "apple"}]),
        ReasoningEntry("apple two"),
        ToolCallEntry("c", "apple", '{"apple": 1}'),
        ToolResultEntry("c", "apple three"),
        AssistantTextEntry("apple four"),
    ]
    append_segment("s", said, run_id="r")
    matches = find_text(["s"], ["apple"])
    assert [(match.type, match.text, match.run_id, match.index) for match in matches] == [
        ("assistant_text", "apple four", "r", 4),
        ("input", "apple one", "r", 0),
    ]


def test_any_of_the_words_is_enough_and_the_newest_comes_first() -> None:
    for text in ("one pear", "one plum", "one fig"):
        say(text)
    assert found("plum", "pear", "") == ["one plum", "one pear"]


def test_other_sessions_stay_closed() -> None:
    say("secret", session="other")
    say("secret", session="s-2")
    assert found("secret") == []
    assert find_text([], ["secret"]) == []
    assert found() == []


def test_one_damaged_row_hides_no_other() -> None:
    say("good apple")
    say("bad apple")
    EntryRow.objects.filter(data__contains="bad").update(data='{"type": "input", "content": "bad apple')
    assert found("apple") == ["good apple"]


def test_the_cost_is_bounded(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    for number in range(6):
        append_segment(
            "s", [InputEntry("user", f"apple {number}"), AssistantTextEntry("apple")], run_id=str(number)
        )
    with django_assert_num_queries(2):
        matches = find_text(["s"], ["apple"], max_entries=4)
    assert {match.run_id for match in matches} == {"4", "5"}
    assert MAX_FOUND == 500


def test_the_newest_run_is_searched_even_if_it_is_longer_than_the_limit() -> None:
    append_segment("s", [InputEntry("user", "apple"), AssistantTextEntry("pear")], run_id="r")
    assert [match.text for match in find_text(["s"], ["apple"], max_entries=1)] == ["apple"]
