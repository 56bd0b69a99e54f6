"""Delivery between processes, through the channel layer. A hint only: what it drops is read from the log.

All processes of a deployment are in one group, and what is told in one moment goes as one message: a message
costs far more than what is in it, and more than a look at a topic that nobody listens to. Without a layer
that reaches other processes there is nothing to relay.
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
from django.conf import settings

from chatapp.eventlog.hub import Delivery, Hub

logger = logging.getLogger(__name__)

PENDING_LIMIT = 2000
MESSAGE_LIMIT = 200  # deliveries
MESSAGE_CHARACTERS = 1_000_000  # after which no other delivery goes into the same message
PAUSE_SECONDS = 1.0

Step = Callable[[], Awaitable[None]]


class Relay:
    """Carries deliveries of the hub to other processes and theirs to it. Lives on one loop."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._layer: Any = get_channel_layer()
        self._group = group_of_deployment()
        self._origin = secrets.token_hex(8)
        self._channel = ""
        self._outbox: deque[tuple[str, Delivery]] = deque(maxlen=PENDING_LIMIT)
        self._has_mail = asyncio.Event()
        self._has_to_join = asyncio.Event()
        self._has_to_join.set()
        self._is_troubled = False

    async def run(self) -> None:
        """Until cancelled. Trouble with the layer is logged once and tried again for ever."""
        self._hub.connect(self)
        try:
            while not self._channel:  # the layer may be away when the process starts
                await self._tried(self._open)
            await asyncio.gather(
                self._for_ever(self._receive), self._for_ever(self._send), self._for_ever(self._join)
            )
        finally:
            self._hub.connect(None)

    async def _for_ever(self, step: Step) -> None:
        while True:
            await self._tried(step)

    async def _tried(self, step: Step) -> None:
        trouble: Exception | None = None
        try:
            await step()
        except Exception as error:  # noqa: BLE001 (whatever a layer's client raises, the log is the truth)
            trouble = error
        end_if_cancelled()
        if trouble is None:
            self._recovered()
        else:
            self._troubled(trouble)
            await asyncio.sleep(PAUSE_SECONDS)

    async def _open(self) -> None:
        self._channel = await self._layer.new_channel("relay")

    def _troubled(self, error: Exception) -> None:
        if not self._is_troubled:
            logger.warning("channel layer: %s; other processes follow by the database", error)
        self._is_troubled = True
        self._has_to_join.set()

    def _recovered(self) -> None:
        if self._is_troubled:
            logger.info("channel layer: back")
        self._is_troubled = False

    # for the hub, on the loop

    def send(self, topic: str, delivery: Delivery) -> None:
        self._outbox.append((topic, delivery))
        self._has_mail.set()

    @property
    def is_joined(self) -> bool:
        """Or there is trouble, and nobody is to wait for it."""
        return self._is_troubled or not self._has_to_join.is_set()

    # the three loops

    async def _join(self) -> None:
        await self._has_to_join.wait()
        await self._layer.group_add(self._group, self._channel)
        self._has_to_join.clear()
        self._hub.joined()

    async def _send(self) -> None:
        while not self._outbox:
            self._has_mail.clear()
            await self._has_mail.wait()
        mail = self._next_mail()
        message = {"type": "relay", "origin": self._origin, "mail": mail}
        await self._layer.group_send(self._group, message)

    def _next_mail(self) -> list[list[Any]]:
        """No message grows without end: Redis cuts off who is sent too much at once."""
        mail: list[list[Any]] = []
        size = 0
        while self._outbox and len(mail) < MESSAGE_LIMIT and size < MESSAGE_CHARACTERS:
            topic, delivery = self._outbox.popleft()
            mail.append(packed(topic, delivery))
            size += sum(len(text) for _, text in delivery.frames)
        return mail

    async def _receive(self) -> None:
        message = await self._layer.receive(self._channel)
        if message.get("origin") != self._origin:
            for topic, run_id, frames in message["mail"]:
                delivery = Delivery(run_id, tuple((seq, text) for seq, text in frames))
                self._hub.deliver_here(topic, delivery)


def end_if_cancelled() -> None:
    """For a task whose cancellation may have been swallowed by what it called: clients that connect do so."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def packed(topic: str, delivery: Delivery) -> list[Any]:
    return [topic, delivery.run_id, [list(frame) for frame in delivery.frames]]


def group_of_deployment() -> str:
    """The same in all of its processes, another one for whoever else uses this Redis."""
    known = f"{settings.SECRET_KEY} {settings.DATABASES['default']['NAME']}"
    return f"relay.{hashlib.sha256(known.encode()).hexdigest()[:40]}"


def reaches_other_processes() -> bool:
    """Whether the configured layer is more than this process's own."""
    return type(get_channel_layer()).__module__ != "channels.layers"
