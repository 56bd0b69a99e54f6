"""What a slow reader of a socket is sent waits in the socket's own queue and in the log, not in memory."""

from __future__ import annotations

import asyncio
from typing import Any

from twisted.internet.interfaces import IPushProducer
from zope.interface import implementer


@implementer(IPushProducer)
class Backpressure:
    """Whether a connection takes more: its transport says so, by the amount that it could not send yet."""

    def __init__(self, transport: Any) -> None:
        self._transport = transport
        self._has_room = asyncio.Event()
        self._has_room.set()
        transport.unregisterProducer()  # that of the HTTP request which the socket has begun as
        transport.registerProducer(self, True)

    async def wait(self) -> None:
        """Until there is room, or the connection is gone."""
        await self._has_room.wait()

    # for the transport

    def pauseProducing(self) -> None:  # noqa: N802 (Twisted's name)
        self._has_room.clear()

    def resumeProducing(self) -> None:  # noqa: N802
        self._has_room.set()
        if self._transport.disconnecting:  # it does not close while it has a producer that was paused
            self._transport.unregisterProducer()

    def stopProducing(self) -> None:  # noqa: N802
        self._has_room.set()
