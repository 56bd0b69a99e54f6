"""A browser's end of a socket, against the real ASGI application."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar
from urllib.parse import urlencode
from uuid import UUID

from channels.testing import WebsocketCommunicator
from django.db import connections
from django.test import Client

from chatapp.asgi import application

T = TypeVar("T")


async def in_thread(function: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    """Runs sync code with a database connection of its own."""

    def run() -> T:
        try:
            return function(*args, **kwargs)
        finally:
            connections.close_all()

    return await asyncio.to_thread(run)


class Watcher:
    """Reads frames; `code` is why the server has closed."""

    def __init__(self, communicator: WebsocketCommunicator) -> None:
        self._communicator = communicator

    async def frame(self, within: float = 5) -> dict[str, Any]:
        """The next frame that is no heartbeat."""
        while True:
            found = await self.any_frame(within)
            if found["type"] != "heartbeat":
                return found

    async def any_frame(self, within: float = 5) -> dict[str, Any]:
        output = await self._communicator.receive_output(within)
        assert output["type"] == "websocket.send", output
        frame: dict[str, Any] = json.loads(output["text"])
        return frame

    async def until(self, kind: str) -> list[dict[str, Any]]:
        """All frames up to the first one of this type."""
        frames = [await self.frame()]
        while frames[-1]["type"] != kind:
            frames.append(await self.frame())
        return frames

    async def code(self, within: float = 5) -> int:
        """The close code; the next thing must be the close."""
        output = await self._communicator.receive_output(within)
        assert output["type"] == "websocket.close", output
        return int(output["code"])

    async def say(self, message: Any) -> None:
        text = message if isinstance(message, str) else json.dumps(message)
        await self._communicator.send_input({"type": "websocket.receive", "text": text})

    async def is_silent(self) -> bool:
        return bool(await self._communicator.receive_nothing(0.2, 0.02))


@asynccontextmanager
async def watching(client: Client, thread_id: UUID | str, **place: Any) -> AsyncIterator[Watcher]:
    """Connects to a thread's socket: `watching(client, thread.id, run=…, after=…)`."""
    query = f"?{urlencode(place)}" if place else ""
    async with connected(client, f"/ws/threads/{thread_id}/{query}") as watcher:
        yield watcher


@asynccontextmanager
async def connected(client: Client, path: str) -> AsyncIterator[Watcher]:
    cookie = client.cookies.output(header="", sep=";").encode()
    headers = [(b"host", b"testserver"), (b"cookie", cookie)]
    communicator = WebsocketCommunicator(application, path, headers)
    accepted, _ = await communicator.connect(timeout=5)
    assert accepted
    try:
        yield Watcher(communicator)
    finally:
        await communicator.disconnect()
