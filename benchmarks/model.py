"""A model server that is never in the way: `python -m benchmarks.model` says its port and serves.

Each token is the time at which it left, in base 36 and µs of the clock that all processes share. What it is
to do stands in the last message of the user: `KEY tokens=200 rate=40`, with `tool` for one call before that.
A rate of 0 is all at once. `GET /told/KEY` tells what it has said, and when it was asked and left.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from dataclasses import dataclass, field
from typing import Any

LINE = 40  # tokens in a paragraph
WISH = re.compile(r"(?P<key>\S+) tokens=(?P<tokens>\d+) rate=(?P<rate>\d+)(?P<tool> tool)?")
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
CHUNK = (
    'data: {"id":"bench","object":"chat.completion.chunk","created":0,"model":"clock","choices":'
    '[{"index":0,"delta":%s,"finish_reason":%s}]}\n\n'
)
CALL = (
    '{"tool_calls":[{"index":0,"id":"call_%s","type":"function",'
    '"function":{"name":"calculator","arguments":"{\\"expression\\":\\"6*7\\"}"}}]}'
)


def wish(key: str, *, tokens: int, rate: int, tool: bool = False) -> str:
    return f"{key} tokens={tokens} rate={rate}{' tool' if tool else ''}"


def stamp() -> str:
    """Now, as a token."""
    return base36(time.monotonic_ns() // 1000)


def base36(number: int) -> str:
    digits = ""
    while number:
        number, rest = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[rest] + digits
    return digits


@dataclass(slots=True)
class Told:
    """Of one key: when it was asked first and left last (ns), and the whole text."""

    asked: int
    pieces: list[str] = field(default_factory=list)
    left: int = 0

    def as_dict(self) -> dict[str, Any]:
        return {"text": "".join(self.pieces), "asked": self.asked, "left": self.left}


told: dict[str, Told] = {}


class Answerer(asyncio.Protocol):
    """One connection, one request at a time."""

    def __init__(self) -> None:
        self._received = b""
        self._told: Told | None = None
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: Any = transport

    def connection_lost(self, exc: Exception | None) -> None:
        if self._told is not None:
            self._told.left = time.monotonic_ns()
        if self._timer is not None:
            self._timer.cancel()

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, end, body = self._received.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: *(\d+)", head)
        if end and len(body) >= int(length[1] if length else 0):
            self._received = b""
            self._serve(head.split(b" ", 2)[1].decode(), body)

    def _serve(self, path: str, body: bytes) -> None:
        if path.startswith("/told/"):
            self._tell(path.removeprefix("/told/"))
        else:
            self._answer(json.loads(body)["messages"])

    def _tell(self, key: str) -> None:
        known = told.get(key)
        body = json.dumps(known.as_dict() if known else None).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self._transport.write(head.encode() + body)

    def _answer(self, messages: list[dict[str, Any]]) -> None:
        asked = next(message["content"] for message in reversed(messages) if message["role"] == "user")
        wanted = WISH.fullmatch(asked)
        assert wanted is not None, asked
        self._told = told.setdefault(wanted["key"], Told(time.monotonic_ns()))
        self._transport.write(HEAD)
        if wanted["tool"] and messages[-1]["role"] != "tool":
            self._transport.write(in_chunk(CHUNK % (CALL % wanted["key"], "null")))
            self._end("tool_calls")
        elif rate := int(wanted["rate"]):
            self._say_on(int(wanted["tokens"]), 0, 1 / rate, asyncio.get_running_loop().time())
        else:
            self._transport.write(b"".join(self._token(n) for n in range(int(wanted["tokens"]))))
            self._end("stop")

    def _say_on(self, tokens: int, number: int, pause: float, start: float) -> None:
        """At the pace that was asked for, whatever the delay of each."""
        if number == tokens:
            self._end("stop")
            return
        self._transport.write(self._token(number))
        self._timer = asyncio.get_running_loop().call_at(
            start + (number + 1) * pause, self._say_on, tokens, number + 1, pause, start
        )

    def _token(self, number: int) -> bytes:
        assert self._told is not None
        end = "\\n\\n" if number % LINE == LINE - 1 else " "
        said = stamp()
        self._told.pieces.append(said + end.replace("\\n", "\n"))
        return in_chunk(CHUNK % (f'{{"content":"{said}{end}"}}', "null"))

    def _end(self, reason: str) -> None:
        self._told = self._timer = None
        self._transport.write(
            in_chunk(CHUNK % ("{}", f'"{reason}"')) + in_chunk("data: [DONE]\n\n") + b"0\r\n\r\n"
        )


def in_chunk(text: str) -> bytes:
    return f"{len(text):x}\r\n{text}\r\n".encode()


async def main() -> None:
    server = await asyncio.get_running_loop().create_server(Answerer, "127.0.0.1", 0, backlog=1000)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)  # it ends with who started it


if __name__ == "__main__":
    asyncio.run(main())
