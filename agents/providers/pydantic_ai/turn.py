"""One request by pydantic-ai, and its events as deltas."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterator
from typing import Any, cast

from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import (
    ModelResponsePart,
    ModelResponsePartDelta,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from agents.deltas import Delta, FinishDelta, ReasoningDelta, TextDelta, ToolCallDelta, UsageDelta
from agents.providers.base import ModelRequest
from agents.providers.failures import cut_stream
from agents.providers.pydantic_ai.messages import messages_of
from agents.providers.pydantic_ai.models import default_settings, profile_of
from agents.providers.pydantic_ai.trouble import TROUBLE, as_provider_error
from agents.transcript import clean_json
from agents.usage import Usage

_OWN_STRICTNESS = {"anthropic", "google", "google-cloud"}
"""Vendors that decide well by themselves whether a tool's schema is enforced; others refuse to be asked."""


async def stream_turn(model: Model, request: ModelRequest, *, vendor: str) -> AsyncGenerator[Delta]:
    """ProviderError for whatever goes wrong, also for a stream that ends before the model has."""
    native = bool(profile_of(model).get("supports_json_schema_output"))
    messages = messages_of(_system(request, native=native), request.entries, vendor=vendor)
    settings = cast("ModelSettings", default_settings(model) | request.settings)
    translator = _Translator(vendor)
    try:
        async with model_request_stream(
            model,
            messages,
            model_settings=settings,
            model_request_parameters=_parameters(request, vendor, native=native),
        ) as stream:
            async for event in stream:
                for delta in translator.feed(event, stream):
                    yield delta
    except TROUBLE as error:
        raise as_provider_error(error) from error
    yield UsageDelta(_usage(stream))
    yield FinishDelta(_reason(stream, has_calls=translator.has_calls))


class _Translator:
    """Events into deltas. Arguments that come as an object, not as text, are written when their part ends."""

    def __init__(self, vendor: str) -> None:
        self.has_calls = False
        self._vendor = vendor
        self._unwritten: set[int] = set()

    def feed(self, event: ModelResponseStreamEvent, stream: StreamedResponse) -> Iterator[Delta]:
        match event:
            case PartStartEvent():
                yield from self._start(event.index, event.part)
            case PartDeltaEvent():
                yield from self._delta(event.index, event.delta)
            case PartEndEvent():
                yield from self._end(event.index, event.part, stream)

    def _start(self, index: int, part: ModelResponsePart) -> Iterator[Delta]:
        match part:
            case TextPart(content=content) if content:
                yield TextDelta(content)
            case ThinkingPart(content=content) if content:
                yield self._reasoning(index, content)
            case ToolCallPart():
                self.has_calls = True
                written = isinstance(part.args, str)
                if not written:
                    self._unwritten.add(index)
                yield ToolCallDelta(
                    index, part.tool_call_id, part.tool_name, str(part.args) if written else ""
                )

    def _delta(self, index: int, delta: ModelResponsePartDelta) -> Iterator[Delta]:
        match delta:
            case TextPartDelta(content_delta=text) if text:
                yield TextDelta(text)
            case ThinkingPartDelta(content_delta=text) if text:
                yield self._reasoning(index, text)
            case ToolCallPartDelta(args_delta=str(arguments)) if arguments:
                self._unwritten.discard(index)
                yield ToolCallDelta(index, arguments=arguments)

    def _end(self, index: int, part: ModelResponsePart, stream: StreamedResponse) -> Iterator[Delta]:
        if isinstance(part, ToolCallPart) and index in self._unwritten:
            arguments = json.dumps(part.args or {}, ensure_ascii=False)
            yield ToolCallDelta(index, arguments=arguments)
        elif isinstance(part, ThinkingPart) and (signed := _signature(part, stream)):
            yield ReasoningDelta("", self._id(index), self._vendor, signed)

    def _reasoning(self, index: int, text: str) -> ReasoningDelta:
        return ReasoningDelta(text, self._id(index), self._vendor)

    def _id(self, index: int) -> str:
        """Each part is an entry of its own: a signature holds for exactly one text."""
        return f"part-{index}"


def _signature(part: ThinkingPart, stream: StreamedResponse) -> dict[str, Any]:
    """What has to go back with the reasoning, and to whom; empty when the vendor signed nothing."""
    if not part.signature and not part.provider_details:
        return {}
    said = {
        "signature": part.signature,
        "id": part.id,
        "details": part.provider_details,
        "provider_name": part.provider_name or stream.provider_name,
        "provider_url": stream.provider_url,
        "canonical_system": stream.canonical_system,
    }
    return {key: clean_json(value) for key, value in said.items() if value is not None}


def _system(request: ModelRequest, *, native: bool) -> str:
    """Models that cannot be held to a schema are asked for it."""
    if request.output_schema is None or native:
        return request.system
    schema = json.dumps(request.output_schema, ensure_ascii=False)
    return f"{request.system}\n\nAnswer with nothing but JSON of this schema:\n{schema}".strip()


def _parameters(request: ModelRequest, vendor: str, *, native: bool) -> ModelRequestParameters:
    strict = None if vendor in _OWN_STRICTNESS else False
    tools = [
        ToolDefinition(
            name=tool.name,
            parameters_json_schema=tool.parameters,
            description=tool.description,
            strict=strict,
        )
        for tool in request.tools
    ]
    if request.output_schema is None or not native:
        return ModelRequestParameters(function_tools=tools)
    schema = OutputObjectDefinition(request.output_schema, name="answer")
    return ModelRequestParameters(function_tools=tools, output_mode="native", output_object=schema)


def _usage(stream: StreamedResponse) -> Usage:
    used = stream.usage
    return Usage(used.input_tokens, used.output_tokens, used.cache_read_tokens, used.cache_write_tokens)


def _reason(stream: StreamedResponse, *, has_calls: bool) -> str:
    """Why the model ended. A stream can end without any reason when its connection is lost: that is a cut."""
    reason = stream.finish_reason or (stream.provider_details or {}).get("finish_reason")
    if not reason or reason == "error":
        raise cut_stream()
    return "tool_calls" if reason == "tool_call" or (reason == "stop" and has_calls) else str(reason)
