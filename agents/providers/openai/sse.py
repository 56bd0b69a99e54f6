"""Server-sent events as model servers really send them: bytes in any pieces in, JSON values out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

DONE = object()
"""What `data: [DONE]` is read as."""

MAX_LINE = 32 * 1024 * 1024


class MalformedStream(ValueError):
    """A data line that is no JSON, or one without an end."""


class EventParser:
    """Feed it what the socket gives.

    A data line that is JSON by itself is an event at once, whether or not the blank line comes that should
    follow it; one that is not waits for the next data lines, as the standard has it.
    """

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        self._size = 0
        self._waiting: list[str] = []

    def feed(self, data: bytes) -> Iterator[Any]:
        if b"\n" not in data:
            self._keep(data)
            return
        lines = b"".join((*self._rest, data)).split(b"\n")
        self._rest, self._size = [], 0
        self._keep(lines.pop())
        for line in lines:
            yield from self._line(line)

    def end(self) -> Iterator[Any]:
        """The last line, when the server left out its end. Half a line is no event."""
        last, self._rest = b"".join(self._rest), []
        try:
            yield from self._line(last)
        except MalformedStream:
            return

    def _keep(self, data: bytes) -> None:
        self._size += len(data)
        if self._size > MAX_LINE:
            raise MalformedStream(f"a line of more than {MAX_LINE} bytes")
        if data:
            self._rest.append(data)

    def _line(self, line: bytes) -> Iterator[Any]:
        if line.startswith(b"data:"):
            yield from self._data(line[5:].strip())
        elif self._waiting and not line.strip():
            raise MalformedStream(f"not JSON: {''.join(self._waiting)[:200]!r}")

    def _data(self, data: bytes) -> Iterator[Any]:
        if data == b"[DONE]":
            yield DONE
            return
        text = data.decode("utf-8", "replace")
        if self._waiting:
            self._waiting.append(text)
            text = "\n".join(self._waiting)
        try:
            value = json.loads(text) if text else None
        except (ValueError, RecursionError):
            self._waiting = self._waiting or [text]
            return
        self._waiting.clear()
        if value is not None:
            yield value
