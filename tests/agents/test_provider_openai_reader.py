"""The reader of the chat completions stream, fed by hand: torn bytes, odd servers, broken streams."""

import json
from typing import Any

import pytest

from agents.deltas import Delta, FinishDelta, ReasoningDelta, TextDelta, ToolCallDelta, UsageDelta
from agents.errors import ContextOverflow, ProviderError
from agents.providers.openai.reader import AnswerReader
from agents.usage import Usage


def line(payload: Any) -> bytes:
    return b"data: " + (payload if isinstance(payload, bytes) else json.dumps(payload).encode()) + b"\n\n"


def chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **more: Any) -> bytes:
    return line({"choices": [{"index": 0, "delta": delta or {}, "finish_reason": finish}], **more})


def said(text: str) -> bytes:
    return chunk({"content": text})


def called(**fragment: Any) -> bytes:
    return chunk({"tool_calls": [fragment]})


STOP = chunk(finish="stop") + line(b"[DONE]")


def read(*data: bytes) -> list[Delta]:
    reader = AnswerReader()
    deltas = [delta for piece in data for delta in reader.feed(piece)]
    return deltas + reader.end()


def failure(*data: bytes) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        read(*data)
    return caught.value


def text_of(deltas: list[Delta]) -> str:
    return "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))


def calls_of(deltas: list[Delta]) -> list[tuple[str | None, str | None, str]]:
    """(id, name, arguments) of each call, as a loop adds them up."""
    calls: dict[int, tuple[str | None, str | None, str]] = {}
    for delta in deltas:
        if isinstance(delta, ToolCallDelta):
            call_id, name, arguments = calls.get(delta.slot, (None, None, ""))
            calls[delta.slot] = (delta.call_id or call_id, delta.name or name, arguments + delta.arguments)
    return [calls[slot] for slot in sorted(calls)]


def test_what_arrives_together_is_one_delta() -> None:
    assert read(said("a") + said("b"), said("c"), STOP) == [
        TextDelta("ab"),
        TextDelta("c"),
        FinishDelta("stop"),
    ]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64])
def test_bytes_may_be_torn_anywhere(size: int) -> None:
    data = chunk({"content": "zwölf 漢 😀"}).decode().encode() + line(b'{"x": 1}') + STOP
    data = data.replace(b"\\u6f22", "漢".encode())
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    assert text_of(read(*pieces)) == "zwölf 漢 😀"


@pytest.mark.parametrize(
    "dress",
    [
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: data.replace(b"data: ", b"data:"),
        lambda data: data.replace(b"\n\n", b"\n"),
        lambda data: data.replace(b"data: ", b": ping\n\nevent: chunk\nid: 7\nretry: 10\ndata: "),
        lambda data: data.removesuffix(b"data: [DONE]\n\n"),
        lambda data: data.removesuffix(b"\n\ndata: [DONE]\n\n"),
        lambda data: data.replace(b'{"choices"', b'{\ndata: "choices"'),
    ],
    ids=[
        "crlf",
        "no space",
        "no blank lines",
        "comments",
        "no [DONE]",
        "no last line end",
        "many data lines",
    ],
)
def test_streams_in_other_dress_are_the_same(dress: Any) -> None:
    assert read(dress(said("one ") + said("two") + STOP)) == [TextDelta("one two"), FinishDelta("stop")]


def test_half_a_pair_waits_for_its_other_half() -> None:
    assert text_of(read(said("a\ud83d"), said("\ude00b"), STOP)) == "a😀b"
    assert text_of(read(said("a\ud83d"), said("b\0\r"), said("\nc\ud83d"), STOP)) == "a�b�\nc�"


def test_reasoning_comes_under_either_name_and_is_marked() -> None:
    data = chunk({"reasoning_content": "think"}), chunk({"reasoning": "ing\ud83d"}), said("done"), STOP
    assert read(*data)[:4] == [
        ReasoningDelta("think", provider="openai"),
        ReasoningDelta("ing", provider="openai"),
        ReasoningDelta("�", provider="openai"),
        TextDelta("done"),
    ]


def test_content_may_come_in_parts() -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    deltas = read(chunk({"content": [thinking, {"type": "text", "text": "yes"}]}), STOP)
    assert deltas == [ReasoningDelta("hm", provider="openai"), TextDelta("yes"), FinishDelta("stop")]


def test_fragments_belong_to_their_index() -> None:
    deltas = read(
        called(index=0, id="a", function={"name": "one", "arguments": ""}),
        called(index=1, id="b", function={"name": "two", "arguments": '{"x"'}),
        called(index=0, function={"arguments": "{}"}),
        called(index=1, function={"arguments": ": 2}"}),
        chunk(finish="tool_calls"),
    )
    assert calls_of(deltas) == [("a", "one", "{}"), ("b", "two", '{"x": 2}')]
    assert deltas[-1] == FinishDelta("tool_calls")


WHOLE = [{"name": "one", "arguments": "{}"}, {"name": "two", "arguments": '{"x": 2}'}]


def test_whole_calls_without_an_index() -> None:
    deltas = read(called(id="a", function=WHOLE[0]), called(id="b", function=WHOLE[1]), STOP)
    assert calls_of(deltas) == [("a", "one", "{}"), ("b", "two", '{"x": 2}')]
    assert deltas[-1] == FinishDelta("tool_calls")


def test_whole_calls_that_all_have_the_index_0() -> None:
    deltas = read(
        called(index=0, id="a", function=WHOLE[0]), called(index=0, id="b", function=WHOLE[1]), STOP
    )
    assert calls_of(deltas) == [("a", "one", "{}"), ("b", "two", '{"x": 2}')]


def test_fragments_without_an_index_go_to_the_last_call() -> None:
    deltas = read(
        called(id="a", function={"name": "one"}),
        called(function={"arguments": "{"}),
        called(id="a", function={"arguments": "}"}),
        called(id="b", function={"name": "two", "arguments": ""}),
        called(function={"arguments": '{"x": 2}'}),
        STOP,
    )
    assert calls_of(deltas) == [("a", "one", "{}"), ("b", "two", '{"x": 2}')]


def test_calls_without_ids_get_ids_of_their_own() -> None:
    calls = calls_of(read(called(function=WHOLE[0]), called(function=WHOLE[1]), STOP))
    assert [call[1:] for call in calls] == [("one", "{}"), ("two", '{"x": 2}')]
    assert len({call_id for call_id, _, _ in calls} - {None, ""}) == 2


def test_an_id_that_is_used_twice_in_a_turn_is_replaced() -> None:
    calls = calls_of(
        read(called(index=0, id="a", function=WHOLE[0]), called(index=1, id="a", function=WHOLE[1]), STOP)
    )
    assert calls[0][0] == "a"
    assert calls[1][0] not in ("a", None, "")


def test_a_new_id_in_every_fragment_is_still_one_call() -> None:
    deltas = read(
        called(index=0, id="a", function={"name": "one", "arguments": "{"}),
        called(index=0, id="b", function={"arguments": "}"}),
        STOP,
    )
    assert calls_of(deltas) == [("a", "one", "{}")]


def test_arguments_may_be_an_object_or_nothing() -> None:
    deltas = read(
        called(index=0, id="a", function={"name": "one", "arguments": {"x": "ü"}}),
        called(index=1, id="b", function={"name": "two", "arguments": None}),
        STOP,
    )
    assert calls_of(deltas) == [("a", "one", '{"x": "ü"}'), ("b", "two", "")]


def test_half_a_pair_in_arguments_waits_too() -> None:
    deltas = read(
        called(index=0, id="a", function={"name": "one", "arguments": '{"x": "\ud83d'}),
        called(index=0, function={"arguments": '\ude00"}'}),
        STOP,
    )
    assert calls_of(deltas) == [("a", "one", '{"x": "😀"}')]


def test_usage_is_the_last_that_was_said() -> None:
    first = chunk({"content": "a"}, usage={"prompt_tokens": 5, "completion_tokens": 1})
    last = line(
        {
            "choices": [],
            "usage": {
                "prompt_tokens": 50,
                "completion_tokens": 7,
                "prompt_tokens_details": {"cached_tokens": 40},
            },
        }
    )
    assert read(first, chunk(finish="length"), last)[1:] == [
        UsageDelta(Usage(50, 7, 40)),
        FinishDelta("length"),
    ]


def test_usage_may_name_its_cache_elsewhere_or_be_nonsense() -> None:
    deepseek = {"prompt_tokens": 9, "completion_tokens": 2, "prompt_cache_hit_tokens": 4}
    broken: dict[str, Any] = {"prompt_tokens": None, "completion_tokens": "7", "prompt_tokens_details": []}
    assert read(said("a"), chunk(finish="stop", usage=deepseek))[1] == UsageDelta(Usage(9, 2, 4))
    assert read(said("a"), chunk(finish="stop", usage=broken))[1] == UsageDelta(Usage())


def test_a_stream_without_a_finish_was_cut() -> None:
    error = failure(said("half of it"))
    assert (error.code, error.retryable) == ("stream_cut", True)
    assert failure(said("a"), b'data: {"choices": [{"delta"').code == "stream_cut"
    assert failure(line(b"[DONE]")).code == "stream_cut"


def test_done_is_a_finish_where_something_was_said() -> None:
    assert read(said("all"), line(b"[DONE]")) == [TextDelta("all"), FinishDelta("stop")]


def test_an_empty_answer_is_an_answer() -> None:
    assert read(STOP) == [FinishDelta("stop")]


def test_an_unreadable_line_is_worth_another_try() -> None:
    error = failure(said("a"), b"data: {broken\n\n", said("b"), STOP)
    assert (error.code, error.retryable) == ("malformed_stream", True)
    assert failure(line([1, 2])).code == "malformed_stream"


def test_what_was_said_before_an_error_is_kept() -> None:
    reader = AnswerReader(request_id="req_1")
    assert reader.feed(said("kept") + line({"error": {"message": "busy", "code": 503}})) == [
        TextDelta("kept")
    ]
    with pytest.raises(ProviderError, match="busy") as caught:
        reader.end()
    assert (caught.value.status, caught.value.request_id, caught.value.retryable) == (503, "req_1", True)


@pytest.mark.parametrize(
    ("event", "code", "retryable"),
    [
        ({"error": {"message": "overloaded", "type": "overloaded_error"}}, "overloaded_error", True),
        ({"error": {"message": "no", "type": "invalid_request_error"}}, "invalid_request_error", False),
        ({"error": "plain words"}, None, True),
        ({"object": "error", "message": "bad", "code": 400}, "400", False),
        ({"error": {"message": "slow down", "code": "429"}}, "429", True),
        ({"error": {"message": "pay", "code": "insufficient_quota"}}, "insufficient_quota", False),
    ],
)  # fmt: skip
def test_errors_in_the_stream(event: dict[str, Any], code: str | None, retryable: bool) -> None:
    error = failure(line(event))
    assert (error.code, error.retryable) == (code, retryable)


def test_an_overflow_in_the_stream_is_told_apart() -> None:
    error = failure(line({"error": {"message": "too long", "code": "context_length_exceeded"}}))
    assert isinstance(error, ContextOverflow)
    assert not error.retryable


def test_finish_reason_error_is_an_error() -> None:
    assert failure(said("a"), chunk(finish="error"), line(b"[DONE]")).retryable


def test_trouble_after_the_finish_changes_nothing() -> None:
    assert read(said("a"), chunk(finish="stop"), b"data: {broken\n\n") == [
        TextDelta("a"),
        FinishDelta("stop"),
    ]
