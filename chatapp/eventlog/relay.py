"""Delivery between processes, through the channel layer. A hint only: what it drops is read from the log.

Each process joins the groups of the topics that somebody listens to here. Without a layer that reaches
other processes there is nothing to relay.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import secrets
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from channels.layers import get_channel_layer

from chatapp.eventlog.hub import Delivery, Hub

logger = logging.getLogger(__name__)

PENDING_LIMIT = 2000
PAUSE_SECONDS = 1.0

Step = Callable[[], Awaitable[None]]


class Relay:
    """Carries deliveries of the hub to other processes and theirs to it. Lives on one loop."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._layer: Any = get_channel_layer()
        self._origin = secrets.token_hex(8)
        self._channel = ""
        self._outbox: deque[tuple[str, Delivery]] = deque(maxlen=PENDING_LIMIT)
        self._has_mail = asyncio.Event()
        self._wanted: set[str] = set()
        self._joined: set[str] = set()
        self._membership = asyncio.Event()
        self._is_troubled = False
        self._tasks: list[asyncio.Task[None]] = []

    async def run(self) -> None:
        """Until cancelled. Trouble with the layer is logged once and tried again for ever."""
        self._hub.connect(self)
        try:
            while not self._channel:  # the layer may be away when the process starts
                await self._tried(self._open)
            await asyncio.gather(
                self._for_ever(self._receive), self._for_ever(self._send), self._for_ever(self._follow)
            )
        finally:
            self._hub.connect(None)

    async def _for_ever(self, step: Step) -> None:
        while True:
            await self._tried(step)

    async def _tried(self, step: Step) -> None:
        try:
            await step()
            self._recovered()
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001 (whatever a layer's client raises, the log is the truth)
            self._troubled(error)
            await asyncio.sleep(PAUSE_SECONDS)

    async def _open(self) -> None:
        self._channel = await self._layer.new_channel("relay")

    def _troubled(self, error: Exception) -> None:
        if not self._is_troubled:
            logger.warning("channel layer: %s; other processes follow by the database", error)
        self._is_troubled = True
        self._joined.clear()
        self._membership.set()

    def _recovered(self) -> None:
        if self._is_troubled:
            logger.info("channel layer: back")
        self._is_troubled = False

    # for the hub, on the loop

    def send(self, topic: str, delivery: Delivery) -> None:
        self._outbox.append((topic, delivery))
        self._has_mail.set()

    def want(self, topics: set[str]) -> None:
        self._wanted = topics
        self._membership.set()

    def is_joined(self, topic: str) -> bool:
        return self._is_troubled or topic in self._joined

    # the three loops

    async def _send(self) -> None:
        while not self._outbox:
            self._has_mail.clear()
            await self._has_mail.wait()
        topic, delivery = self._outbox.popleft()
        message = {
            "type": "relay",
            "origin": self._origin,
            "topic": topic,
            "run_id": delivery.run_id,
            "frames": [list(frame) for frame in delivery.frames],
        }
        await self._layer.group_send(group_of(topic), message)

    async def _receive(self) -> None:
        message = await self._layer.receive(self._channel)
        if message.get("origin") != self._origin:
            frames = tuple((seq, text) for seq, text in message["frames"])
            self._hub.deliver_here(message["topic"], Delivery(message["run_id"], frames))

    async def _follow(self) -> None:
        for topic in self._wanted - self._joined:
            await self._layer.group_add(group_of(topic), self._channel)
            self._joined.add(topic)
            self._hub.joined(topic)
        for topic in self._joined - self._wanted:
            await self._layer.group_discard(group_of(topic), self._channel)
            self._joined.discard(topic)
        if self._wanted == self._joined:
            self._membership.clear()
            await self._membership.wait()


def group_of(topic: str) -> str:
    """A group name that every layer takes."""
    kind, _, rest = topic.partition(":")
    return f"{kind}.{hashlib.sha256(rest.encode()).hexdigest()[:40]}"


def reaches_other_processes() -> bool:
    """Whether the configured layer is more than this process's own."""
    return type(get_channel_layer()).__module__ != "channels.layers"
