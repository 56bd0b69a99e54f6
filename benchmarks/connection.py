"""The least of a browser: HTTP on a connection that is kept, a socket that only notes what comes and when.

Nothing is parsed while it is measured, so that the client is not what is measured.
"""

from __future__ import annotations

import asyncio
import re
import time
from asyncio import StreamReader, StreamWriter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

LENGTH = re.compile(rb"(?i)content-length: *(\d+)")
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10


@dataclass(frozen=True, slots=True)
class Address:
    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    body: bytes


class Http:
    """One request at a time, on one connection."""

    def __init__(self, address: Address, cookie: str = "") -> None:
        self._address = address
        self._cookie = cookie
        self._streams: tuple[StreamReader, StreamWriter] | None = None

    async def get(self, path: str, **headers: str) -> Reply:
        return await self._ask("GET", path, b"", headers)

    async def post(self, path: str, body: bytes, **headers: str) -> Reply:
        kind = {"Content-Type": "application/x-www-form-urlencoded", "Content-Length": str(len(body))}
        return await self._ask("POST", path, body, {**headers, **kind})

    async def _ask(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> Reply:
        given = {"Host": str(self._address), "Cookie": self._cookie, **headers}
        lines = [
            f"{method} {path} HTTP/1.1",
            *(f"{name.replace('_', '-')}: {value}" for name, value in given.items()),
        ]
        request = "\r\n".join([*lines, "", ""]).encode() + body
        if self._streams is not None:
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                return await self._exchange(*self._streams, request)
        self._streams = await asyncio.open_connection(self._address.host, self._address.port)
        return await self._exchange(*self._streams, request)

    async def _exchange(self, reader: StreamReader, writer: StreamWriter, request: bytes) -> Reply:
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        length = LENGTH.search(head)
        body = await reader.readexactly(int(length[1])) if length else b""
        return Reply(int(head[9:12]), body)

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()


class Socket(asyncio.Protocol):
    """`frames`: when each text came (ns) and its bytes. `on_frame` is called with the bytes."""

    def __init__(self, on_frame: Callable[[bytes], None]) -> None:
        self.frames: list[tuple[int, bytes]] = []
        self.is_lost = False
        self._on_frame = on_frame
        self._received = bytearray()
        self._opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @classmethod
    async def open(
        cls, address: Address, path: str, cookie: str, on_frame: Callable[[bytes], None] = lambda _: None
    ) -> Socket:
        made = await asyncio.get_running_loop().create_connection(
            lambda: cls(on_frame), address.host, address.port
        )
        made[0].write(
            f"GET {path} HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nCookie: {cookie}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )
        await made[1]._opened  # noqa: SLF001 (its own class)
        return made[1]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: Any = transport

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_lost = True
        if not self._opened.done():
            self._opened.set_exception(ConnectionError("the socket was closed at its opening"))

    def data_received(self, data: bytes) -> None:
        now = time.monotonic_ns()
        self._received += data
        if not self._opened.done() and not self._open():
            return
        while (frame := self._next_frame()) is not None:
            self._take(now, *frame)

    def _open(self) -> bool:
        head, end, rest = bytes(self._received).partition(b"\r\n\r\n")
        if not end:
            return False
        self._received = bytearray(rest)
        if head[9:12] == b"101":
            self._opened.set_result(None)
        else:
            self._opened.set_exception(ConnectionError(f"no socket: {head[:40]!r}"))
        return True

    def _next_frame(self) -> tuple[int, bytes] | None:
        """Kind and content. Servers neither mask nor, here, split."""
        data = self._received
        if len(data) < 2:
            return None
        more = {126: 2, 127: 8}.get(data[1], 0)
        start = 2 + more
        end = start + (int.from_bytes(data[2:start], "big") if more else data[1])
        if len(data) < end or len(data) < start:
            return None
        content = bytes(data[start:end])
        kind = data[0] & 15
        del data[:end]
        return kind, content

    def _take(self, now: int, kind: int, content: bytes) -> None:
        if kind == TEXT:
            self.frames.append((now, content))
            self._on_frame(content)
        elif kind == PING:
            self._say(PONG, content)
        elif kind == CLOSE:
            self.close()

    def _say(self, kind: int, content: bytes) -> None:
        """Masked, as a client must; with zeros."""
        self._transport.write(bytes([128 | kind, 128 | len(content), 0, 0, 0, 0]) + content)

    def close(self) -> None:
        self._transport.close()
