"""Delivery of frames to the sockets of this process, by direct bounded queues.

A frame is encoded once for all readers. A reader that does not keep up loses its queue, not its
place: it is marked as lagging and reads the rest from the log.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from chatapp.eventlog.frames import Frame

QUEUE_LIMIT = 500


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


class Subscription:
    """One reader's bounded queue. Filled from any thread, read on the loop that made it."""

    def __init__(self, topic: str, *, limit: int = QUEUE_LIMIT) -> None:
        self.topic = topic
        self.lagged = False
        self._limit = limit
        self._queue: deque[Delivery] = deque()
        self._loop = asyncio.get_running_loop()
        self._ready = asyncio.Event()

    def offer(self, delivery: Delivery) -> None:
        if _running_loop() is self._loop:
            self._put(delivery)
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._put, delivery)

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
    """Who listens to which topic: `thread:<uuid>` or `user:<id>`."""

    def __init__(self) -> None:
        self._topics: dict[str, set[Subscription]] = {}
        self._lock = threading.Lock()

    def subscribe(self, topic: str) -> Subscription:
        subscription = Subscription(topic)
        with self._lock:
            self._topics.setdefault(topic, set()).add(subscription)
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
        """Hands a batch to every reader of the topic. From any thread; never blocks, never raises."""
        with self._lock:
            readers = tuple(self._topics.get(topic, ()))
        for reader in readers:
            reader.offer(delivery)

    def has_readers(self, topic: str) -> bool:
        return topic in self._topics


def thread_topic(thread_id: Any) -> str:
    return f"thread:{thread_id}"


def user_topic(user_id: Any) -> str:
    return f"user:{user_id}"


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


hub = Hub()
