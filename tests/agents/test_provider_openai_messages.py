"""What a model server is sent: our entries as messages of the chat completions."""

import base64
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agents.providers.base import ModelRequest, ToolSpec
from agents.providers.openai.messages import encode_request
from agents.transcript import (
    AssistantTextEntry,
    Entry,
    InputEntry,
    ReasoningEntry,
    ToolCallEntry,
    ToolResultEntry,
    make_whole,
)
from tests.fakes.strict import check

HELLO = InputEntry("user", "hello")
CLOCK = ToolSpec("clock", "What time it is.", {"type": "object", "properties": {}})


def request(*entries: Entry, system: str = "", **more: Any) -> ModelRequest:
    return ModelRequest(
        model="m", system=system, entries=list(entries), tools=more.pop("tools", []), run_id="r", **more
    )


def body(asked: ModelRequest) -> dict[str, Any]:
    encoded: dict[str, Any] = json.loads(encode_request(asked, ask_usage=True))
    check(encoded)
    return encoded


def messages(*entries: Entry, **more: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = body(request(*entries, **more))["messages"]
    return found


def call(call_id: str, arguments: str = "{}", name: str = "clock") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def test_one_turn_of_the_model_is_one_message() -> None:
    turn: list[Entry] = [
        InputEntry("user", "what time is it here and there?"),
        ReasoningEntry("two calls", provider="openai"),
        AssistantTextEntry("I look."),
        ToolCallEntry("a", "clock", "{}"),
        ToolCallEntry("b", "clock", '{"zone": "UTC"}'),
        ToolResultEntry("a", "noon"),
        ToolResultEntry("b", "eleven"),
        AssistantTextEntry("Noon, and eleven."),
        InputEntry("user", "thanks"),
    ]
    assert messages(*turn, system="be kind") == [
        {"role": "system", "content": "be kind"},
        {"role": "user", "content": "what time is it here and there?"},
        {"role": "assistant", "content": "I look.", "tool_calls": [call("a"), call("b", '{"zone": "UTC"}')]},
        {"role": "tool", "tool_call_id": "a", "content": "noon"},
        {"role": "tool", "tool_call_id": "b", "content": "eleven"},
        {"role": "assistant", "content": "Noon, and eleven."},
        {"role": "user", "content": "thanks"},
    ]


def test_turns_without_words_between_them_stay_apart() -> None:
    two: list[Entry] = [ToolCallEntry("a", "clock", "{}"), ToolResultEntry("a", "x")]
    assert [message["role"] for message in messages(HELLO, *two, *two)] == [
        "user", "assistant", "tool", "assistant", "tool",
    ]  # fmt: skip


def test_arguments_that_are_no_object_are_wrapped() -> None:
    cut = messages(HELLO, ToolCallEntry("a", "clock", '{"zone": "Eur'), ToolResultEntry("a", "x"))
    assert cut[1]["tool_calls"] == [call("a", '{"_raw":"{\\"zone\\": \\"Eur"}')]


def test_what_says_nothing_is_not_sent() -> None:
    said = messages(
        HELLO,
        AssistantTextEntry("  \n"),
        ReasoningEntry("hm"),
        InputEntry("user", [{"type": "text", "text": ""}]),
        InputEntry("user", "go on"),
    )
    assert [message["content"] for message in said] == ["hello", "go on"]


def test_a_result_without_output_says_so() -> None:
    said = messages(HELLO, ToolCallEntry("a", "clock", "{}"), ToolResultEntry("a", ""))
    assert said[-1]["content"] == "(no output)"


def test_names_and_ids_are_made_fit() -> None:
    long_id = "toolu_" + "x" * 80
    said = messages(HELLO, ToolCallEntry(long_id, "my tool!", "{}"), ToolResultEntry(long_id, "x"))
    assert said[1]["tool_calls"][0]["function"]["name"] == "my_tool_"
    assert said[1]["tool_calls"][0]["id"] == said[2]["tool_call_id"]
    assert len(said[2]["tool_call_id"]) <= 40


def test_images_and_files_are_parts() -> None:
    text_file = base64.b64encode("zwölf".encode()).decode()
    said = messages(
        InputEntry(
            "user",
            [
                {"type": "text", "text": "look"},
                {"type": "image", "data": "aGk=", "mime_type": "image/jpeg"},
                {"type": "image", "url": "https://example.org/a.png"},
                {"type": "file", "data": text_file, "mime_type": "text/plain", "name": "a.txt"},
                {"type": "file", "data": "aGk=", "mime_type": "application/pdf", "name": "b.pdf"},
                {"type": "file", "data": "aGk=", "mime_type": "audio/wav"},
                {"type": "file", "url": "https://example.org/c.zip", "name": "c.zip"},
            ],
        )
    )
    assert said[0]["content"] == [
        {"type": "text", "text": "look"},
        {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,aGk="}},
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
        {"type": "text", "text": "a.txt:\nzwölf"},
        {"type": "file", "file": {"filename": "b.pdf", "file_data": "data:application/pdf;base64,aGk="}},
        {"type": "input_audio", "input_audio": {"data": "aGk=", "format": "wav"}},
        {"type": "text", "text": "[c.zip](https://example.org/c.zip)"},
    ]


def test_an_image_in_a_result_follows_all_results_of_its_turn() -> None:
    image = ToolResultEntry("a", "a picture", parts=[{"type": "image", "data": "aGk="}])
    said = messages(
        HELLO,
        ToolCallEntry("a", "draw", "{}"),
        ToolCallEntry("b", "clock", "{}"),
        image,
        ToolResultEntry("b", "noon"),
        AssistantTextEntry("There."),
        InputEntry("user", "nice"),
    )
    assert [message["role"] for message in said] == [
        "user", "assistant", "tool", "tool", "user", "assistant", "user",
    ]  # fmt: skip
    assert said[4]["content"][1] == {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}


def test_tools_schema_user_and_settings_go_along() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    asked = request(
        HELLO,
        tools=[CLOCK],
        output_schema=schema,
        user="u1",
        settings={"temperature": 0.2, "top_p": None, "stream": False},
    )
    sent = body(asked)
    assert sent.pop("messages") == [{"role": "user", "content": "hello"}]
    assert sent == {
        "model": "m",
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": 0.2,
        "tools": [{"type": "function", "function": {"name": "clock", "description": "What time it is.",
                                                    "parameters": CLOCK.parameters}}],
        "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}},
        "user": "u1",
    }  # fmt: skip


def test_the_same_request_is_the_same_bytes() -> None:
    asked = request(
        HELLO, ToolCallEntry("a" * 60, "clock", "{"), ToolResultEntry("a" * 60, "x"), tools=[CLOCK]
    )
    assert encode_request(asked, ask_usage=True) == encode_request(asked, ask_usage=True)


texts = st.text(st.sampled_from(["a", " ", "\n", "\0", "\ud83d", "\ude00", "é", "漢"]), max_size=6)
ids = st.sampled_from(["a", "b", "c" * 50, ""])
arguments = st.sampled_from(["{}", "", "{", "[1]", '{"x": NaN}', '{"x": "\\ud83d"}', '{"x": 1}', "null"])
entries = st.one_of(
    st.builds(InputEntry, st.just("user"), texts),
    st.builds(AssistantTextEntry, texts),
    st.builds(ReasoningEntry, texts),
    st.builds(ToolCallEntry, ids, st.sampled_from(["clock", "a b", ""]), arguments),
    st.builds(ToolResultEntry, ids, texts),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(entries, max_size=12))
def test_no_whole_transcript_is_refused(transcript: list[Entry]) -> None:
    check(json.loads(encode_request(request(*make_whole(transcript), HELLO), ask_usage=True)))
