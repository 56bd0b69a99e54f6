"""The stream of one answer: chunks of chat completions in, deltas out. It knows no connection."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from agents.deltas import Delta, FinishDelta, ReasoningDelta, TextDelta, UsageDelta
from agents.errors import ProviderError
from agents.providers.failures import cut_stream, is_transient, message_and_code, provider_error
from agents.providers.openai.calls import CallAssembler
from agents.providers.openai.sse import DONE, EventParser, MalformedStream
from agents.transcript import TextCleaner
from agents.usage import Usage

_FINISH = {"function_call": "tool_calls", "eos": "stop", "end_turn": "stop", "max_tokens": "length"}
MOST_TOKENS = 10**12
_LASTING = ("invalid", "not_found", "quota", "authentication", "permission", "unsupported")


class AnswerReader:
    """Text that arrives in one read becomes one delta, so a reader that fell behind catches up.

    An error in the stream is kept in `failure`, so that what was said before it is not lost; `end` raises it.
    """

    def __init__(self, *, name: str = "openai", request_id: str | None = None) -> None:
        self.is_done = False
        self.failure: ProviderError | None = None
        self._name = name
        self._request_id = request_id
        self._events = EventParser()
        self._calls = CallAssembler()
        self._cleaner = TextCleaner()
        self._speaks: Callable[[str], Delta] | None = None
        self._said: list[str] = []
        self._out: list[Delta] = []
        self._usage: Usage | None = None
        self._finish: str | None = None
        self._has_content = False

    @property
    def is_finished(self) -> bool:
        """The model has ended its turn; what may still come is the bill."""
        said_all = self.is_done and self._has_content and self.failure is None
        return self._finish is not None or said_all

    def feed(self, data: bytes) -> list[Delta]:
        self._consume(self._events.feed(data))
        return self._drain()

    def feed_whole(self, answer: Any) -> list[Delta]:
        """The answer of a server that does not stream."""
        self._consume([answer])
        return self._drain()

    def end(self) -> list[Delta]:
        """What is left when the stream is over. ProviderError: it told of an error, or it was cut."""
        if self.failure is None and not self.is_finished:
            self._consume(self._events.end())
        if not self.is_finished:
            raise self.failure or cut_stream(self._request_id)
        self._pause()
        self._out += self._calls.end()
        if self._usage is not None:
            self._out.append(UsageDelta(self._usage))
        self._out.append(FinishDelta(self._reason()))
        return self._drain()

    def _consume(self, events: Iterable[Any]) -> None:
        try:
            for event in events:
                self._take(event)
        except (MalformedStream, ProviderError) as error:
            self._fail(error)

    def _take(self, event: Any) -> None:
        if event is DONE:
            self.is_done = True
            return
        if not isinstance(event, dict):
            raise MalformedStream(f"not an object: {str(event)[:200]!r}")
        if event.get("error") or event.get("object") == "error":
            raise self._error_in(event)
        if isinstance(usage := event.get("usage"), dict):
            self._usage = read_usage(usage)
        choices = event.get("choices")
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            self._choice(choices[0])

    def _choice(self, choice: dict[str, Any]) -> None:
        delta = choice.get("delta") or choice.get("message")
        if isinstance(delta, dict):
            self._delta(delta)
        if reason := choice.get("finish_reason"):
            if reason == "error":
                raise provider_error(
                    "The model server broke off with an error.", request_id=self._request_id, retryable=True
                )
            self._finish = str(reason)

    def _delta(self, delta: dict[str, Any]) -> None:
        reasoning = delta.get("reasoning_content") or delta.get("reasoning")
        if isinstance(reasoning, str):
            self._say(self._reasoning, reasoning)
        content = delta.get("content")
        if isinstance(content, str):
            if content:
                self._say(TextDelta, content)
        elif isinstance(content, list):
            self._parts(content)
        if isinstance(refusal := delta.get("refusal"), str):
            self._say(TextDelta, refusal)
        if calls := delta.get("tool_calls"):
            self._pause()
            self._out += self._calls.feed(calls)
            self._has_content = True

    def _parts(self, parts: list[Any]) -> None:
        """Content in parts, as Mistral's servers send it: text, and reasoning with parts of its own."""
        for part in parts:
            if not isinstance(part, dict):
                continue
            if isinstance(text := part.get("text"), str):
                self._say(TextDelta, text)
            thoughts = part.get("thinking")
            for thought in thoughts if isinstance(thoughts, list) else ():
                if isinstance(thought, dict) and isinstance(text := thought.get("text"), str):
                    self._say(self._reasoning, text)

    def _reasoning(self, text: str) -> Delta:
        return ReasoningDelta(text, provider=self._name)

    def _say(self, speaks: Callable[[str], Delta], text: str) -> None:
        if speaks != self._speaks:
            self._pause()
            self._speaks = speaks
        if cleaned := self._cleaner.feed(text):
            self._said.append(cleaned)
            self._has_content = True

    def _pause(self) -> None:
        """The text comes to an end here: something else follows it."""
        if rest := self._cleaner.flush():
            self._said.append(rest)
        self._emit()
        self._speaks = None

    def _emit(self) -> None:
        if self._said and self._speaks is not None:
            self._out.append(self._speaks("".join(self._said)))
            self._said.clear()

    def _drain(self) -> list[Delta]:
        self._emit()
        out, self._out = self._out, []
        return out

    def _reason(self) -> str:
        reason = _FINISH.get(self._finish or "stop", self._finish or "stop")
        return "tool_calls" if reason == "stop" and self._calls.has_calls else reason

    def _error_in(self, event: Mapping[str, Any]) -> ProviderError:
        message, code = message_and_code(event)
        status = int(code) if code is not None and code.isdecimal() and len(code) == 3 else None
        lasting = code is not None and any(word in code for word in _LASTING)
        return provider_error(
            message or "The model server broke off with an error.",
            status=status,
            code=code,
            request_id=self._request_id,
            retryable=is_transient(status, code) if status is not None else not lasting,
        )

    def _fail(self, error: MalformedStream | ProviderError) -> None:
        if isinstance(error, MalformedStream):
            error = ProviderError(
                f"The model server's stream cannot be read: {error}",
                code="malformed_stream",
                request_id=self._request_id,
                retryable=True,
            )
        self.failure = self.failure or error


def read_usage(data: Mapping[str, Any]) -> Usage:
    """The token counts of OpenAI, and of those that name what they read from their cache in another place."""
    details = data.get("prompt_tokens_details")
    details = details if isinstance(details, Mapping) else {}
    return Usage(
        input_tokens=_count(data.get("prompt_tokens")),
        output_tokens=_count(data.get("completion_tokens")),
        cache_read_tokens=_count(details.get("cached_tokens") or data.get("prompt_cache_hit_tokens")),
        cache_write_tokens=_count(details.get("cache_write_tokens")),
    )


def _count(value: Any) -> int:
    """0 for what can be no number of tokens."""
    return int(value) if isinstance(value, int | float) and 0 < value < MOST_TOKENS else 0
