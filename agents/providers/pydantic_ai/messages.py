"""Our entries as pydantic-ai's messages."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable
from typing import Literal, assert_never

from pydantic_ai.messages import (
    BinaryContent,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)

from agents.providers.naming import CallIds, fit_name
from agents.transcript import (
    AssistantTextEntry,
    Entry,
    InputEntry,
    Part,
    ReasoningEntry,
    ToolCallEntry,
    ToolResultEntry,
    whole_arguments,
)


def messages_of(system: str, entries: Iterable[Entry], *, vendor: str) -> list[ModelMessage]:
    """The request's messages. What another vendor reasoned, or what nobody signed, is left out."""
    builder = _Builder(vendor)
    if system.strip():
        builder.request(SystemPromptPart(system))
    for entry in entries:
        builder.add(entry)
    return builder.messages


class _Builder:
    def __init__(self, vendor: str) -> None:
        self.messages: list[ModelMessage] = []
        self._vendor = vendor
        self._ids = CallIds()
        self._names: dict[str, str] = {}

    def add(self, entry: Entry) -> None:
        match entry:
            case InputEntry():
                self._add_input(entry)
            case AssistantTextEntry():
                if entry.content.strip():
                    self._respond(TextPart(entry.content))
            case ReasoningEntry():
                self._add_reasoning(entry)
            case ToolCallEntry():
                self._add_call(entry)
            case ToolResultEntry():
                self._add_result(entry)
            case _:
                assert_never(entry)

    def request(self, *parts: ModelRequestPart) -> None:
        last = self.messages[-1] if self.messages else None
        if isinstance(last, ModelRequest):
            last.parts = [*last.parts, *parts]
        else:
            self.messages.append(ModelRequest(parts=list(parts)))

    def _respond(self, part: ModelResponsePart) -> ModelResponse:
        last = self.messages[-1] if self.messages else None
        if not isinstance(last, ModelResponse):
            last = ModelResponse(parts=[])
            self.messages.append(last)
        last.parts = [*last.parts, part]
        return last

    def _add_input(self, entry: InputEntry) -> None:
        content = _content(entry.content)
        if not content:
            return
        if entry.role == "system" and isinstance(content, str):
            self.request(SystemPromptPart(content))
        else:
            self.request(UserPromptPart(content))

    def _add_reasoning(self, entry: ReasoningEntry) -> None:
        """Signed reasoning has to go back as it came; any other would be taken for a thing that was said."""
        signed = entry.metadata
        if entry.provider != self._vendor or not (signed.get("signature") or signed.get("details")):
            return
        response = self._respond(
            ThinkingPart(
                entry.content,
                id=signed.get("id"),
                signature=signed.get("signature"),
                provider_name=signed.get("provider_name"),
                provider_details=signed.get("details"),
            )
        )
        response.provider_name = signed.get("provider_name")
        response.provider_url = signed.get("provider_url")
        response.canonical_system = signed.get("canonical_system")

    def _add_call(self, entry: ToolCallEntry) -> None:
        call_id, name = self._ids.call(entry.call_id), fit_name(entry.name)
        self._names[call_id] = name
        self._respond(ToolCallPart(name, whole_arguments(entry.arguments), call_id))

    def _add_result(self, entry: ToolResultEntry) -> None:
        if (call_id := self._ids.result(entry.call_id)) is None:
            return
        outcome: Literal["failed", "success"] = "failed" if entry.is_error else "success"
        self.request(ToolReturnPart(self._names[call_id], entry.output, call_id, outcome=outcome))
        if entry.parts and (content := _content(entry.parts)):
            self.request(UserPromptPart([f"Belongs to the result of the call {call_id}:", *content]))


def _content(content: str | list[Part]) -> str | list[UserContent]:
    """Empty when it says nothing."""
    if isinstance(content, str):
        return content if content.strip() else ""
    return [mapped for part in content if (mapped := _part(part)) is not None]


def _part(part: Part) -> UserContent | None:
    """Text as it is, bytes as they are. Files are not fetched: what has only an address is named."""
    if part["type"] == "text":
        return part.get("text", "") if part.get("text", "").strip() else None
    if data := part.get("data"):
        default = "image/png" if part["type"] == "image" else "application/octet-stream"
        return _binary(data, part.get("mime_type") or default)
    if not (url := part.get("url")):
        return None
    return ImageUrl(url) if part["type"] == "image" else f"[{part.get('name') or 'file'}]({url})"


def _binary(data: str, mime_type: str) -> BinaryContent | None:
    try:
        return BinaryContent(base64.b64decode(data), media_type=mime_type)
    except binascii.Error:
        return None
