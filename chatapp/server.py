"""Daphne with a beginning and an end: background work starts with the loop, and a stop drains the runs first.

Import this module before any other that imports Twisted: it installs the asyncio reactor.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from daphne.server import Server as Daphne  # isort: skip  (installs the reactor)
from autobahn.exception import Disconnected
from daphne.http_protocol import WebRequest
from daphne.ws_protocol import WebSocketProtocol
from django.conf import settings
from twisted.internet import defer, reactor

from chatapp.backpressure import Backpressure

# Twisted declares the reactor as an interface without these methods.
call_later: Any = reactor.callLater  # type: ignore[attr-defined,unused-ignore]

logger = logging.getLogger(__name__)

DRAIN_SECONDS = 17  # with what follows, within the 20 that a supervisor grants
REQUEST_SECONDS = 2
HANDSHAKE_SECONDS = 20  # a socket that is cut off comes back at once, and makes a busy server busier
MOST_BYTES = settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 2**16  # of a body; with its field names
TOO_LARGE = b"HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
Started = Callable[[asyncio.AbstractEventLoop], None]
Stopping = Callable[[], Awaitable[None]]


class Socket(WebSocketProtocol):
    """The limit of a message's length is for what clients send: an answer is as long as it is."""

    maxMessagePayloadSize: int  # noqa: N815 (autobahn's name)

    def sendMessage(self, *args: Any, **kwargs: Any) -> None:  # noqa: N802 (autobahn's name)
        limit, self.maxMessagePayloadSize = self.maxMessagePayloadSize, 0
        try:
            super().sendMessage(*args, **kwargs)
        finally:
            self.maxMessagePayloadSize = limit


class Request(WebRequest):
    """Refuses a body that is longer than any of our forms before it is read: it would be kept in memory."""

    _received = 0
    _is_refused = False

    def gotLength(self, length: int | None) -> None:  # noqa: N802 (Twisted's name)
        super().gotLength(length)
        if length is not None and length > MOST_BYTES:
            self._refuse()

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802
        self._received += len(data)
        if self._received > MOST_BYTES:
            self._refuse()
        if not self._is_refused:
            super().handleContentChunk(data)

    def process(self) -> None:
        if not self._is_refused:
            super().process()

    def _refuse(self) -> None:
        if not self._is_refused:
            self._is_refused = True
            self.channel.transport.write(TOO_LARGE)
            self.channel.loseConnection()


class Server(Daphne):
    """`failure` is why it could not listen, if it could not."""

    def __init__(
        self,
        application: Any,
        *,
        host: str,
        port: int,
        started: Started,
        stopping: Stopping,
        ready: Callable[[], None],
    ) -> None:
        super().__init__(
            application,
            endpoints=[endpoint(host, port)],
            ready_callable=self._when_loop_runs,
            server_name="chatapp",
            websocket_handshake_timeout=HANDSHAKE_SECONDS,
        )
        self._started, self._stopping, self._ready = started, stopping, ready
        self._ports: list[Any] = []
        self.failure = ""

    def _when_loop_runs(self) -> None:
        self.ws_factory.protocol = Socket
        build = self.http_factory.buildProtocol

        def build_ours(address: Any) -> Any:
            protocol = build(address)
            protocol.requestFactory = Request
            return protocol

        self.http_factory.buildProtocol = build_ours
        call_later(0, lambda: self._started(asyncio.get_running_loop()))

    def listen_success(self, port: Any) -> None:
        super().listen_success(port)
        self._ports.append(port)
        self._ready()

    def listen_error(self, failure: Any) -> None:
        self.failure = failure.getErrorMessage()
        self.stop()

    async def handle_reply(self, protocol: Any, message: Any) -> None:
        """An application that sends to a client that has gone gets an OSError, as ASGI says.

        One that sends to a client that does not read waits for it.
        """
        try:
            await super().handle_reply(protocol, message)
        except Disconnected as error:
            raise ConnectionResetError("The client has gone.") from error
        connection = self.connections.get(protocol, {})
        if message["type"] == "websocket.accept":
            connection["backpressure"] = Backpressure(protocol.transport)
        elif message["type"] == "websocket.send" and "backpressure" in connection:
            await connection["backpressure"].wait()

    def kill_all_applications(self) -> "defer.Deferred[None]":
        """Daphne's hook before the reactor stops; the reactor waits for what this returns."""
        return defer.Deferred.fromFuture(asyncio.ensure_future(self._drain()))

    async def _drain(self) -> None:
        """Runs first, while their sockets still show them; then whatever request or socket is left."""
        for port in self._ports:
            port.stopListening()
        try:
            async with asyncio.timeout(DRAIN_SECONDS):
                await self._stopping()
        except TimeoutError:
            logger.warning("runs did not end within %s s; they can be resumed", DRAIN_SECONDS)
        except Exception:
            logger.exception("the background work did not stop as it should")
        await self._end_connections()

    async def _end_connections(self) -> None:
        """Requests get a moment to be answered; sockets end at once, and their clients come back."""
        await wait_briefly(self._tasks(WebRequest), REQUEST_SECONDS)
        left = self._tasks(object)
        for task in left:
            task.cancel()
        await wait_briefly(left, 0.5)

    def _tasks(self, kind: type) -> "list[asyncio.Future[None]]":
        found = [
            details.get("application_instance")
            for protocol, details in self.connections.items()
            if isinstance(protocol, kind)
        ]
        return [task for task in found if task and not task.done()]


async def wait_briefly(tasks: "list[asyncio.Future[None]]", seconds: float) -> None:
    if tasks:
        await asyncio.wait(tasks, timeout=seconds)


def endpoint(host: str, port: int) -> str:
    """Twisted's description of an address, in which a colon has a meaning of its own."""
    escaped = host.strip("[]").replace(":", "\\:")
    return f"tcp:port={port}:interface={escaped}"
