"""Our entries as the body of a chat completions request. The same entries always are the same bytes."""

from __future__ import annotations

from typing import Any, assert_never

from agents.providers.base import ModelRequest, ToolSpec
from agents.providers.naming import CallIds, fit_name
from agents.providers.openai.content import content_of
from agents.transcript import (
    AssistantTextEntry,
    Entry,
    InputEntry,
    ReasoningEntry,
    ToolCallEntry,
    ToolResultEntry,
    json_text,
    whole_arguments,
)

NO_OUTPUT = "(no output)"

Message = dict[str, Any]


def encode_request(request: ModelRequest, *, ask_usage: bool) -> bytes:
    """The JSON of a streaming request. What `settings` says goes along; it cannot replace what is ours."""
    body: dict[str, Any] = {name: value for name, value in request.settings.items() if value is not None}
    body |= {"model": request.model, "stream": True, "messages": messages_of(request)}
    if ask_usage:
        body["stream_options"] = {"include_usage": True}
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    if request.output_schema is not None:
        schema = {"name": "answer", "schema": request.output_schema}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    if request.user:
        body["user"] = request.user
    return json_text(body).encode()


def messages_of(request: ModelRequest) -> list[Message]:
    """The system prompt, then the entries: what one turn of the model said and called is one message."""
    messages: list[Message] = []
    if request.system.strip():
        messages.append({"role": "system", "content": request.system})
    builder = _Builder(messages)
    for entry in request.entries:
        builder.add(entry)
    builder.show_parts()
    return messages


class _Builder:
    """Files and images of a tool's result follow the results of its turn: only text may stand in these."""

    def __init__(self, messages: list[Message]) -> None:
        self._messages = messages
        self._parts: list[Message] = []
        self._ids = CallIds()

    def add(self, entry: Entry) -> None:
        match entry:
            case InputEntry():
                self.show_parts()
                self._add_input(entry)
            case AssistantTextEntry():
                self.show_parts()
                self._add_text(entry.content)
            case ToolCallEntry():
                self.show_parts()
                self._add_call(entry)
            case ToolResultEntry():
                self._add_result(entry)
            case ReasoningEntry():
                pass  # this protocol has no place for it
            case _:
                assert_never(entry)

    def show_parts(self) -> None:
        self._messages += self._parts
        self._parts = []

    def _add_input(self, entry: InputEntry) -> None:
        if (content := content_of(entry.content)) is not None:
            self._messages.append({"role": entry.role, "content": content})

    def _add_text(self, content: str) -> None:
        if content.strip():
            message = self._assistant()
            said = message.get("content")
            message["content"] = f"{said}\n\n{content}" if said else content

    def _add_call(self, entry: ToolCallEntry) -> None:
        function = {"name": fit_name(entry.name), "arguments": whole_arguments(entry.arguments)}
        call = {"id": self._ids.call(entry.call_id), "type": "function", "function": function}
        self._assistant().setdefault("tool_calls", []).append(call)

    def _assistant(self) -> Message:
        if not self._messages or self._messages[-1]["role"] != "assistant":
            self._messages.append({"role": "assistant", "content": None})
        return self._messages[-1]

    def _add_result(self, entry: ToolResultEntry) -> None:
        if (call_id := self._ids.result(entry.call_id)) is None:
            return
        self._messages.append({"role": "tool", "tool_call_id": call_id, "content": entry.output or NO_OUTPUT})
        if isinstance(content := content_of(entry.parts or []), list):
            heading = {"type": "text", "text": f"Belongs to the result of the call {call_id}:"}
            self._parts.append({"role": "user", "content": [heading, *content]})


def _tool(tool: ToolSpec) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}
