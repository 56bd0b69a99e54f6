"""A browser's end of a socket that reads only when it is told to, through a small window."""

from __future__ import annotations

import base64
import json
import os
import socket
import struct
from typing import Any

from tests.process.person import Person

TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
WINDOW = 4096  # bytes that the kernel takes for a reader who does not read


class SlowReader:
    def __init__(self, person: Person, thread: str) -> None:
        self.frames: list[dict[str, Any]] = []
        self._buffer = b""
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, WINDOW)
        self._socket.settimeout(20)
        self._socket.connect(("127.0.0.1", person.server.port))
        self._greet(person, thread)

    def _greet(self, person: Person, thread: str) -> None:
        lines = (
            f"GET /ws/threads/{thread}/ HTTP/1.1",
            f"Host: 127.0.0.1:{person.server.port}",
            f"Origin: {person.server.url}",
            f"Cookie: sessionid={person.cookie('sessionid')}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}",
            "Sec-WebSocket-Version: 13",
        )
        self._socket.sendall("\r\n".join((*lines, "", "")).encode())
        while b"\r\n\r\n" not in self._buffer:
            self._buffer += self._socket.recv(4096)
        head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
        assert b" 101 " in head, head

    def read_until(self, kind: str) -> list[dict[str, Any]]:
        """All frames so far, up to the first one of this type."""
        while not self.frames or self.frames[-1]["type"] != kind:
            opcode, data = self._message()
            if opcode == TEXT:
                self.frames.append(json.loads(data))
            elif opcode == PING:
                self._socket.sendall(bytes([0x80 | PONG, 0x80 | len(data), 0, 0, 0, 0]) + data)
            else:
                raise ConnectionError(f"closed: {data!r}")
        return self.frames

    def close(self) -> None:
        self._socket.close()

    def _message(self) -> tuple[int, bytes]:
        first, size = self._take(2)
        if size == 126:
            (size,) = struct.unpack("!H", self._take(2))
        elif size == 127:
            (size,) = struct.unpack("!Q", self._take(8))
        return first & 15, self._take(size)

    def _take(self, count: int) -> bytes:
        while len(self._buffer) < count:
            received = self._socket.recv(1 << 16)
            if not received:
                raise ConnectionError("closed without a word")
            self._buffer += received
        taken, self._buffer = self._buffer[:count], self._buffer[count:]
        return taken
