"""How steps become bytes: the chunks of a stream in a server's dialect, or one JSON answer."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from tests.fakes.steps import Call, Dialect, Finish, Reasoning, StreamError, Text, Tokens, Turn


class Wire:
    """Encodes one answer; remembers the calls it has sent, which decide index and finish_reason."""

    def __init__(self, *, number: int, body: dict[str, Any], dialect: Dialect) -> None:
        self._dialect = dialect
        self._frame = {"id": f"chatcmpl-{number}", "created": 1_700_000_000, "model": body["model"]}
        self._prompt_tokens = len(json.dumps(body["messages"])) // 4 + 1
        self._calls = 0
        self._cache: tuple[bytes, bytes] | None = None

    def role(self) -> bytes:
        return self._delta({"role": "assistant", "content": ""})

    def text(self, piece: str) -> bytes:
        if self._cache is None:
            before, after = self._delta({"content": "@@"}).split(b'"@@"')
            self._cache = before, after
        return self._cache[0] + _json(piece) + self._cache[1]

    def reasoning(self, piece: str) -> bytes:
        return self._delta({self._dialect.reasoning_field: piece})

    def call(self, call: Call) -> Iterator[bytes]:
        """The chunks of one call, in the shape of the dialect."""
        index, self._calls = self._calls, self._calls + 1
        call_id = call.call_id or f"call_{uuid4().hex[:12]}"
        size = len(call.arguments) + 1 if self._dialect.calls in ("whole", "index_zero") else call.fragment
        fragments = [call.arguments[at : at + size] for at in range(0, len(call.arguments), size)]
        head: dict[str, Any] = {"index": index, "id": call_id, "type": "function"}
        head["function"] = {"name": call.name, "arguments": "" if size == call.fragment else call.arguments}
        yield self._call_delta(head)
        for fragment in fragments if size == call.fragment else ():
            yield self._call_delta({"index": index, "function": {"arguments": fragment}})

    def _call_delta(self, delta: dict[str, Any]) -> bytes:
        if self._dialect.calls in ("no_index", "whole"):
            delta.pop("index")
        elif self._dialect.calls == "index_zero":
            delta["index"] = 0
        elif self._dialect.calls == "no_id":
            delta.pop("id", None)
        return self._delta({"tool_calls": [delta]})

    def finish(self, turn: Turn, *, tokens: int, include_usage: bool) -> Iterator[bytes]:
        """The end of a stream that came to its end."""
        usage = self.usage(turn, tokens)
        choice = {"index": 0, "delta": {}, "finish_reason": self.finish_reason(turn)}
        yield self._event({"choices": [choice]} | ({"usage": usage} if self._dialect.always_usage else {}))
        if include_usage:
            yield self._event({"choices": [], "usage": usage})
        if self._dialect.done_line:
            yield self._line(b"[DONE]")

    def error(self, step: StreamError) -> bytes:
        error = {"message": step.message, "type": "server_error", "code": step.code}
        return self._line(json.dumps({"error": error}).encode())

    def finish_reason(self, turn: Turn) -> str:
        reasons = [step.reason for step in turn if isinstance(step, Finish)]
        called = any(isinstance(step, Call) for step in turn)
        return reasons[-1] if reasons else self._dialect.finish_reason or ("tool_calls" if called else "stop")

    def usage(self, turn: Turn, tokens: int) -> dict[str, Any]:
        given = [step for step in turn if isinstance(step, Tokens)]
        report = given[-1] if given else Tokens(self._prompt_tokens, tokens)
        return {
            "prompt_tokens": report.input,
            "completion_tokens": report.output,
            "total_tokens": report.input + report.output,
            "prompt_tokens_details": {"cached_tokens": report.cached},
        }

    def whole(self, turn: Turn) -> dict[str, Any]:
        """The answer to a request that does not stream."""
        message: dict[str, Any] = {"role": "assistant"}
        message["content"] = (
            "".join(p for step in turn if isinstance(step, Text) for p in step.pieces) or None
        )
        reasoning = "".join(p for step in turn if isinstance(step, Reasoning) for p in step.pieces)
        if reasoning:
            message[self._dialect.reasoning_field] = reasoning
        if calls := [_whole_call(step) for step in turn if isinstance(step, Call)]:
            message["tool_calls"] = calls
        choice = {"index": 0, "message": message, "finish_reason": self.finish_reason(turn)}
        tokens = sum(len(step.pieces) for step in turn if isinstance(step, Text | Reasoning))
        usage = self.usage(turn, tokens)
        return {**self._frame, "object": "chat.completion", "choices": [choice], "usage": usage}

    def _delta(self, delta: dict[str, Any]) -> bytes:
        return self._event({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})

    def _event(self, payload: dict[str, Any]) -> bytes:
        return self._line(_json({**self._frame, "object": "chat.completion.chunk", **payload}))

    def _line(self, data: bytes) -> bytes:
        end = self._dialect.line_end
        return b"data: " + data + end + end


def _whole_call(call: Call) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.call_id or f"call_{uuid4().hex[:12]}", "type": "function", "function": function}


def _json(value: Any) -> bytes:
    """UTF-8 as most servers send it; escapes where a half of a surrogate pair leaves no choice."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()
