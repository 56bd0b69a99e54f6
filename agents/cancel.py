"""Ending things early, and not ending what must be whole: a flag that any thread may read, and a shield for
writes."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import TypeVar

T = TypeVar("T")


class CancelToken:
    """Set once, from any thread; read from any thread. Callbacks run in the thread that cancels."""

    __slots__ = ("_callbacks", "_event", "_lock")

    def __init__(self) -> None:
        self._event = threading.Event()
        self._callbacks: list[Callable[[], None]] = []
        self._lock = threading.Lock()

    @property
    def is_cancelled(self) -> bool:
        return self._event.is_set()

    def cancel(self) -> None:
        with self._lock:
            callbacks, self._callbacks = self._callbacks, []
            self._event.set()
        for callback in callbacks:
            callback()

    def on_cancel(self, callback: Callable[[], None]) -> None:
        """Call it when the token is cancelled; at once if it is already."""
        with self._lock:
            if not self._event.is_set():
                self._callbacks.append(callback)
                return
        callback()

    def forget(self, callback: Callable[[], None]) -> None:
        with self._lock:
            if callback in self._callbacks:
                self._callbacks.remove(callback)


async def shielded(work: Coroutine[object, object, T]) -> T:
    """Run `work` to its end whatever happens to the caller; a cancel of the caller goes on only after that.

    A write that has begun commits in a thread that nobody can cancel: to leave it behind means not to know
    whether it is stored.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            await _settle(task)
        if not task.cancelled():
            task.exception()  # seen; the cancel is what the caller hears of
        raise


async def _settle(task: asyncio.Future[T]) -> None:
    try:
        await asyncio.wait({task})
    except asyncio.CancelledError:
        return
