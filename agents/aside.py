"""Work on a whole transcript, off the event loop where it would hold up everybody else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from agents.transcript import AssistantTextEntry, Entry, InputEntry, ReasoningEntry, ToolCallEntry

MANY_ENTRIES = 200
MANY_CHARACTERS = 100_000

T = TypeVar("T")

_threads = ThreadPoolExecutor(2, thread_name_prefix="agents-aside")


async def aside(entries: Sequence[Entry], work: Callable[[], T]) -> T:
    """What `work` makes of these entries: at once for few, else in a thread. A cancel waits for nothing."""
    if not is_long(entries):
        return work()
    return await asyncio.get_running_loop().run_in_executor(_threads, work)


def is_long(entries: Sequence[Entry]) -> bool:
    return len(entries) >= MANY_ENTRIES or sum(map(_size_of, entries)) >= MANY_CHARACTERS


def _size_of(entry: Entry) -> int:
    match entry:
        case InputEntry(content=str(content)):
            return len(content)
        case InputEntry(content=parts):
            return _size_of_parts(parts)
        case AssistantTextEntry() | ReasoningEntry():
            return len(entry.content)
        case ToolCallEntry():
            return len(entry.arguments)
        case _:
            return len(entry.output) + _size_of_parts(entry.parts or [])


def _size_of_parts(parts: Sequence[object]) -> int:
    values = [value for part in parts if isinstance(part, dict) for value in part.values()]
    return sum(len(value) for value in values if isinstance(value, str))
