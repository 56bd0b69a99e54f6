"""What a rule is told, read from a transcript; and plans, which are replayed from it."""

import pytest

from agents.providers.demo.plan import Call, Plan, Step, answer, in_order, next_step
from agents.providers.demo.talk import Exchange, Outcome, Talk, is_chinese, read_talk
from agents.transcript import (
    AssistantTextEntry,
    Entry,
    InputEntry,
    ReasoningEntry,
    ToolCallEntry,
    ToolResultEntry,
)
from tests.agents.demo import request

TWO_CALLS: list[Entry] = [
    ToolCallEntry("a", "clock", '{"place": "Lima"}'),
    ToolCallEntry("b", "clock", "not json"),
    ToolResultEntry("a", "late"),
    ToolResultEntry("b", "Unknown place", is_error=True),
]


def test_a_talk_is_read_from_the_transcript() -> None:
    entries: list[Entry] = [
        InputEntry("system", "a line of the system"),
        InputEntry("user", "first"),
        ReasoningEntry("hm"),
        AssistantTextEntry("one"),
        AssistantTextEntry("two", partial=True),
        InputEntry("user", "second"),
        InputEntry("user", [{"type": "text", "text": " now "}, {"type": "image", "url": "https://x.test/i"}]),
        *TWO_CALLS,
    ]
    assert read_talk(request(entries, tools=("clock",))) == Talk(
        text="now",
        is_chinese=False,
        tools=frozenset({"clock"}),
        earlier=(Exchange("first", "one\n\ntwo", is_partial=True), Exchange("second", "")),
        outcomes=(
            Outcome("clock", {"place": "Lima"}, "late"),
            Outcome("clock", {}, "Unknown place", is_error=True),
        ),
    )


def test_a_transcript_without_a_message_is_an_empty_talk() -> None:
    assert read_talk(request([], tools=())) == Talk("")


@pytest.mark.parametrize(
    "messages, expected",
    [
        (["你好"], True),
        (["hello"], False),
        (["東京は何時ですか"], False),
        (["你好", "2 ^ 10"], True),
        (["你好", "thanks"], False),
        (["2 ^ 10"], False),
        ([], False),
    ],
)
def test_the_language_is_that_of_the_newest_message_with_letters(messages: list[str], expected: bool) -> None:
    assert is_chinese(messages) is expected


def two_stages() -> Plan:
    first = yield Step("first", "thinking", (Call("a"), Call("b")))
    second = yield Step("second", calls=(Call("c"),))
    return Step(f"{first[0].output}{first[1].output}{second[0].output}")


def done(*outputs: str) -> list[Outcome]:
    return [Outcome("", {}, output) for output in outputs]


def test_a_plan_goes_on_where_the_outcomes_end() -> None:
    assert next_step(two_stages(), []) == Step("first", "thinking", (Call("a"), Call("b")))
    assert next_step(two_stages(), done("1", "2")) == Step("second", calls=(Call("c"),))
    assert next_step(two_stages(), done("1", "2", "3")) == Step("123")


def test_of_a_step_that_is_half_done_only_the_rest_is_called() -> None:
    assert next_step(two_stages(), done("1")) == Step(calls=(Call("b"),))


def test_more_outcomes_than_the_plan_knows_do_no_harm() -> None:
    assert next_step(two_stages(), done("1", "2", "3", "4")) == Step("123")


def test_plans_in_order_say_what_the_one_before_came_to() -> None:
    def choose(talk: Talk) -> Plan:
        return two_stages() if talk.text == "tools" else answer(f"{talk.said}!")

    def plan() -> Plan:
        return in_order([Talk("tools"), Talk("tools"), Talk("words")], choose)

    assert next_step(plan(), done("1", "2", "3")).text == "123\n\nfirst"
    assert next_step(plan(), done("1", "2", "3", "4", "5")).text == "second"
    assert next_step(plan(), done("1", "2", "3", "4", "5", "6")).text == "456\n\n456!"
