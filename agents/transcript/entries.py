"""What a transcript is made of, and its JSON: our own shape, never a library's."""

from __future__ import annotations

import json
import math
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Literal, NotRequired, TypedDict, TypeVar

from agents.transcript.text import clean_json, is_clean


class Part(TypedDict):
    """One piece of content. `data` is base64; a file or an image has `url` or `data`."""

    type: Literal["text", "image", "file"]
    text: NotRequired[str]
    url: NotRequired[str]
    data: NotRequired[str]
    mime_type: NotRequired[str]
    name: NotRequired[str]


@dataclass(frozen=True, slots=True)
class InputEntry:
    """What a person typed, or a system line that is part of the conversation (never the system prompt)."""

    role: Literal["system", "user"]
    content: str | list[Part]
    type: Literal["input"] = field(default="input", init=False)


@dataclass(frozen=True, slots=True)
class AssistantTextEntry:
    """`partial`: the text was cut off by a stop or a crash."""

    content: str
    id: str | None = None
    partial: bool = False
    type: Literal["assistant_text"] = field(default="assistant_text", init=False)


@dataclass(frozen=True, slots=True)
class ReasoningEntry:
    """`provider` says whose it is: what one vendor signed is never sent to another."""

    content: str
    id: str | None = None
    provider: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    type: Literal["reasoning"] = field(default="reasoning", init=False)


@dataclass(frozen=True, slots=True)
class ToolCallEntry:
    """`arguments` is the raw string that the model wrote, whether it is JSON or not."""

    call_id: str
    name: str
    arguments: str
    type: Literal["tool_call"] = field(default="tool_call", init=False)


@dataclass(frozen=True, slots=True)
class ToolResultEntry:
    """`output` is what the model reads, `raw` the tool's value where it is JSON, `seconds` its duration."""

    call_id: str
    output: str
    raw: Any = None
    is_error: bool = False
    parts: list[Part] | None = None
    seconds: float | None = None
    type: Literal["tool_result"] = field(default="tool_result", init=False)


Entry = InputEntry | AssistantTextEntry | ReasoningEntry | ToolCallEntry | ToolResultEntry


@dataclass(frozen=True, slots=True)
class UnreadableEntry:
    """A damaged row, where a page of history would show an entry."""

    record: int
    reason: str
    type: Literal["unreadable"] = field(default="unreadable", init=False)


_KINDS: dict[str, type[Entry]] = {
    "input": InputEntry,
    "assistant_text": AssistantTextEntry,
    "reasoning": ReasoningEntry,
    "tool_call": ToolCallEntry,
    "tool_result": ToolResultEntry,
}
_FIELDS = {kind: [f for f in fields(cls) if f.init] for kind, cls in _KINDS.items()}
_REQUIRED = {
    kind: {f.name for f in own if f.default is MISSING and f.default_factory is MISSING}
    for kind, own in _FIELDS.items()
}
# In JSON only when they say something.
_SPARSE = frozenset({"partial", "seconds"})
_dumps = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_STRINGS = frozenset({"call_id", "name", "arguments", "output"})


def entry_to_dict(entry: Entry) -> dict[str, Any]:
    """JSON-safe, and safe to change: nothing in it is shared with the entry."""
    data: dict[str, Any] = {"type": entry.type}
    for f in _FIELDS[entry.type]:
        value = getattr(entry, f.name)
        if f.name in _SPARSE and (value is None or value is False):
            continue
        data[f.name] = _kept(f.name, value)
    return data


def entry_from_dict(data: dict[str, Any]) -> Entry:
    """Unknown fields are ignored, and a duration that is none.

    ValueError: unknown type, or a required field that is missing or wrong.
    """
    kind = data.get("type")
    if not isinstance(kind, str) or kind not in _KINDS:
        raise ValueError(f"unknown entry type: {kind!r}")
    given = {f.name: _kept(f.name, data[f.name]) for f in _FIELDS[kind] if f.name in data}
    if missing := _REQUIRED[kind] - given.keys():
        raise ValueError(f"{kind} entry without {', '.join(sorted(missing))}")
    _check_shape(kind, given)
    if "seconds" in given and not _is_duration(given["seconds"]):
        del given["seconds"]
    return _KINDS[kind](**given)


def entry_to_json(entry: Entry) -> str:
    """How a store writes an entry: one line, cleaned at the border."""
    return json_text(entry_to_dict(entry))


def entry_from_json(text: str) -> Entry:
    """ValueError when it is no entry."""
    data = json.loads(text)
    if not isinstance(data, dict):
        raise ValueError("not a JSON object")
    return entry_from_dict(data)


def json_text(value: Any) -> str:
    """Compact JSON of a cleaned value. TypeError or ValueError when it is not JSON."""
    text = _dumps(value)
    # The escapes are looked for in the JSON: one scan for all of the strings in it.
    if "\\u0000" in text or "\\r\\n" in text or "NaN" in text or "Infinity" in text or not is_clean(text):
        return _dumps(clean_json(value))
    return text


def _kept(name: str, value: Any) -> Any:
    """A tool may return anything: its `raw` value is kept only where it is JSON."""
    return _json_or_none(value) if name == "raw" else _copied(value)


_Value = TypeVar("_Value")


def _copied(value: _Value) -> _Value:
    """Text, numbers and None are shared; lists and objects are copied."""
    if isinstance(value, list | dict):
        copy: _Value = json.loads(json.dumps(value))
        return copy
    return value


def _json_or_none(value: Any) -> Any:
    if value is None or isinstance(value, str | bool):
        return value
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        return None


def _is_duration(value: Any) -> bool:
    return isinstance(value, int | float) and 0 <= value < math.inf


def _check_shape(kind: str, given: dict[str, Any]) -> None:
    for name in _STRINGS & given.keys():
        if not isinstance(given[name], str):
            raise ValueError(f"{kind} entry: {name} is no string")
    content = given.get("content", "")
    if not isinstance(content, str) and not (kind == "input" and isinstance(content, list)):
        raise ValueError(f"{kind} entry: content is no text")
    if kind == "input" and given["role"] not in ("system", "user"):
        raise ValueError(f"input entry: unknown role {given['role']!r}")
