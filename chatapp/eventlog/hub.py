"""Delivery of frames to the sockets of this process, by direct bounded queues.

A frame is encoded once for all readers. A reader that does not keep up loses its queue, not its
place: it is marked as lagging and reads the rest from the log.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from chatapp.eventlog.frames import Frame

QUEUE_LIMIT = 500
JOIN_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Delivery:
    """Encoded frames of one batch. `frames` are pairs of seq (0 for frames without one) and JSON text."""

    run_id: str | None
    frames: tuple[tuple[int, str], ...]

    @classmethod
    def of(cls, run_id: str | None, frames: Iterable[Frame]) -> Delivery:
        return cls(run_id, tuple((frame.get("seq", 0), encode(frame)) for frame in frames))


def encode(frame: Frame) -> str:
    return json.dumps(frame, ensure_ascii=False, separators=(",", ":"))


class Carrier(Protocol):
    """What carries deliveries to other processes. Its methods are called on its own loop."""

    def send(self, topic: str, delivery: Delivery) -> None: ...

    @property
    def is_joined(self) -> bool: ...


class Subscription:
    """One reader's bounded queue. Filled from any thread, read on the loop that made it."""

    def __init__(self, topic: str, *, limit: int = QUEUE_LIMIT) -> None:
        self.topic = topic
        self.lagged = False
        self._limit = limit
        self._queue: deque[Delivery] = deque()
        self._loop = asyncio.get_running_loop()
        self._ready = asyncio.Event()
        self._joined = asyncio.Event()

    async def ready(self) -> None:
        """Until deliveries of other processes arrive here too; not for long, since they are hints."""
        with suppress(TimeoutError):
            async with asyncio.timeout(JOIN_SECONDS):
                await self._joined.wait()

    def set_ready(self) -> None:
        self._call(self._joined.set)

    def offer(self, delivery: Delivery) -> None:
        self._call(self._put, delivery)

    def _call(self, function: Callable[..., object], *args: object) -> None:
        if _running_loop() is self._loop:
            function(*args)
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function, *args)

    def _put(self, delivery: Delivery) -> None:
        if len(self._queue) >= self._limit:
            self._queue.clear()
            self.lagged = True
        else:
            self._queue.append(delivery)
        self._ready.set()

    async def get(self) -> Delivery | None:
        """The next batch; None when the queue ran over (`lagged` was set: read the log, then go on)."""
        while not self._queue and not self.lagged:
            self._ready.clear()
            await self._ready.wait()
        if self.lagged:
            self.lagged = False
            return None
        return self._queue.popleft()


class Hub:
    """Who listens to which topic (`thread:<uuid>`, `user:<id>`, `owner:<name>`), and what is said there."""

    def __init__(self) -> None:
        self._topics: dict[str, set[Subscription]] = {}
        self._lock = threading.Lock()
        self._carrier: Carrier | None = None
        self._carrier_loop: asyncio.AbstractEventLoop | None = None

    def connect(self, carrier: Carrier | None) -> None:
        """From now on other processes are reached by the carrier, which lives on the running loop."""
        self._carrier = carrier
        self._carrier_loop = asyncio.get_running_loop() if carrier else None

    def subscribe(self, topic: str) -> Subscription:
        subscription = Subscription(topic)
        with self._lock:
            self._topics.setdefault(topic, set()).add(subscription)
        if self._carrier is None or self._carrier.is_joined:
            subscription.set_ready()
        return subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        with self._lock:
            readers = self._topics.get(subscription.topic, set())
            readers.discard(subscription)
            if not readers:
                self._topics.pop(subscription.topic, None)

    def subscribe_thread(self, thread_id: Any) -> Subscription:
        return self.subscribe(thread_topic(thread_id))

    def subscribe_user(self, user_id: Any) -> Subscription:
        return self.subscribe(user_topic(user_id))

    def deliver(self, topic: str, delivery: Delivery) -> None:
        """Hands a batch to every reader, in all processes. From any thread; never blocks, never raises."""
        self.deliver_here(topic, delivery)
        self._on_carrier(lambda carrier: carrier.send(topic, delivery))

    def deliver_here(self, topic: str, delivery: Delivery) -> None:
        for reader in self._readers(topic):
            reader.offer(delivery)

    def joined(self) -> None:
        """The carrier brings what other processes say, from now on."""
        with self._lock:
            readers = [reader for readers in self._topics.values() for reader in readers]
        for reader in readers:
            reader.set_ready()

    def has_readers(self, topic: str) -> bool:
        """Whether anybody may listen; with other processes, nobody here can know."""
        return self._carrier is not None or topic in self._topics

    def _readers(self, topic: str) -> tuple[Subscription, ...]:
        with self._lock:
            return tuple(self._topics.get(topic, ()))

    def _on_carrier(self, act: Callable[[Carrier], None]) -> None:
        carrier, loop = self._carrier, self._carrier_loop
        if carrier is None or loop is None or loop.is_closed():
            return
        if _running_loop() is loop:
            act(carrier)
        else:
            loop.call_soon_threadsafe(act, carrier)


def thread_topic(thread_id: Any) -> str:
    return f"thread:{thread_id}"


def user_topic(user_id: Any) -> str:
    return f"user:{user_id}"


def owner_topic(owner: str) -> str:
    return f"owner:{owner}"


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


hub = Hub()
