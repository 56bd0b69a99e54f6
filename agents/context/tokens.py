"""Rough token counts, for where a provider sends none. Cheap rather than right: within a third or so of the
truth."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import assert_never

from agents.transcript import (
    AssistantTextEntry,
    Entry,
    InputEntry,
    ReasoningEntry,
    ToolCallEntry,
    ToolResultEntry,
)

_PER_ENTRY = 4


def estimate_text(text: str) -> int:
    """About four ASCII characters, or one of any other script, make a token."""
    encoded = len(text.encode("utf-8", "surrogatepass"))
    beyond_ascii = (encoded - len(text)) / 2
    return round((len(text) - beyond_ascii) / 4 + beyond_ascii)


def estimate_entries(entries: Iterable[Entry]) -> int:
    return sum(_PER_ENTRY + estimate_text(_text_of(entry)) for entry in entries)


def _text_of(entry: Entry) -> str:
    match entry:
        case (
            InputEntry(content=str(content))
            | AssistantTextEntry(content=content)
            | ReasoningEntry(content=content)
        ):
            return content
        case InputEntry():
            return json.dumps(entry.content, ensure_ascii=False, default=str)
        case ToolCallEntry():
            return entry.name + entry.arguments
        case ToolResultEntry():
            return entry.output
        case _:
            assert_never(entry)
