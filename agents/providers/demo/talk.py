"""What a rule is told: the last message, what came before it, and what the tools have answered since."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from agents.providers.base import ModelRequest
from agents.transcript import AssistantTextEntry, Entry, InputEntry, ToolCallEntry, ToolResultEntry

HAN = re.compile(r"[\u3400-\u9fff]")
KANA = re.compile(r"[\u3040-\u30ff]")
LETTERS = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Outcome:
    """A finished call of this turn."""

    name: str
    arguments: dict[str, Any]
    output: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Exchange:
    """An earlier message and what was answered; `is_partial` when the answer was cut off."""

    question: str
    answer: str
    is_partial: bool = False


@dataclass(frozen=True, slots=True)
class Talk:
    """`said` is what an earlier part of the same message has come to, where it asks for several things."""

    text: str
    is_chinese: bool = False
    tools: frozenset[str] = frozenset()
    earlier: tuple[Exchange, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    said: str = ""

    def pick(self, english: str, chinese: str) -> str:
        return chinese if self.is_chinese else english

    @property
    def last_answer(self) -> str:
        return self.said or (self.earlier[-1].answer if self.earlier else "")


def read_talk(request: ModelRequest) -> Talk:
    """From the transcript alone: the same request always gives the same talk."""
    entries = request.entries
    asked = [place for place, entry in enumerate(entries) if is_message(entry)]
    messages = [text_of(entries[place]) for place in asked]
    spans = [entries[start + 1 : end] for start, end in pairwise([*asked, len(entries)])]
    return Talk(
        text=messages[-1].strip() if messages else "",
        is_chinese=is_chinese(messages),
        tools=frozenset(tool.name for tool in request.tools),
        earlier=tuple(exchange(text, span) for text, span in zip(messages[:-1], spans[:-1], strict=True)),
        outcomes=outcomes(spans[-1]) if spans else (),
    )


def is_message(entry: Entry) -> bool:
    return isinstance(entry, InputEntry) and entry.role == "user"


def text_of(entry: Entry) -> str:
    content = entry.content if isinstance(entry, InputEntry) else ""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content if part["type"] == "text")


def is_chinese(messages: Sequence[str]) -> bool:
    """By the newest message that has letters at all: `2 ^ 10` says nothing of its writer."""
    for message in reversed(messages):
        if LETTERS.search(message):
            return bool(HAN.search(message)) and not KANA.search(message)
    return False


def exchange(question: str, span: Sequence[Entry]) -> Exchange:
    texts = [entry for entry in span if isinstance(entry, AssistantTextEntry)]
    answer = "\n\n".join(entry.content for entry in texts)
    return Exchange(question, answer, is_partial=any(entry.partial for entry in texts))


def outcomes(span: Sequence[Entry]) -> tuple[Outcome, ...]:
    results = [entry for entry in span if isinstance(entry, ToolResultEntry)]
    calls = [entry for entry in span if isinstance(entry, ToolCallEntry)]
    return tuple(
        Outcome(call.name, arguments(call), result.output, result.is_error)
        for call, result in zip(calls, results, strict=False)
    )


def arguments(call: ToolCallEntry) -> dict[str, Any]:
    try:
        parsed = json.loads(call.arguments)
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}
