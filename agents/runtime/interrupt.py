"""Ends a run from outside of its task: when its time is over, its lease is lost, or somebody asked for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from agents.cancel import CancelToken
from agents.errors import RunTimeout


class Interrupt:
    """Cancels the task that drives the run, but only while it is inside: a generator shares its task with its
    consumer.

    `enter` and `leave` stand around every event that goes out. A reason that comes meanwhile is raised by the
    next `enter`.
    """

    __slots__ = ("_cancelling", "_closed", "_hit", "_loop", "_reason", "_stop", "_task", "_timer", "_token")

    def __init__(self, *, timeout: float | None = None, token: CancelToken | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        self._task: asyncio.Task[Any] | None = None
        self._hit: asyncio.Task[Any] | None = None
        self._cancelling = 0
        self._closed = False
        self._reason: BaseException | None = None
        self._timer = self._loop.call_later(timeout, self._time_is_over, timeout) if timeout else None
        self._token = token
        self._stop: Callable[[], None] = self._stop_soon
        if token:
            token.on_cancel(self._stop)

    def enter(self) -> None:
        if self._reason is not None:
            raise self._reason
        task = asyncio.current_task()
        self._task = task
        self._cancelling = task.cancelling() if task else 0

    def leave(self) -> None:
        self._task = None

    def fire(self, reason: BaseException) -> None:
        """The first reason counts. From the loop's thread, and never from inside of the run's own task."""
        if self._reason is None and not self._closed:
            self._reason = reason
            if self._task is not None:
                self._hit = self._task
                self._task.cancel()

    def resolve(self, error: BaseException) -> BaseException:
        """What really ended the run: the reason behind a cancel of ours; any other error as it is."""
        self.close()
        if self._reason is None or isinstance(error, GeneratorExit):
            return error
        if self._hit is not None and self._hit.uncancel() > self._cancelling:
            return error  # somebody else cancelled the task as well
        return self._reason

    def is_reason(self, error: BaseException) -> bool:
        """Whether it is what fired, and so no cancel that must go on to the caller."""
        return error is self._reason

    def close(self) -> None:
        """Nothing fires any more."""
        self._closed = True
        self._task = None
        if self._timer:
            self._timer.cancel()
        if self._token:
            self._token.forget(self._stop)

    def _time_is_over(self, timeout: float) -> None:
        self.fire(RunTimeout(f"The run took longer than {timeout:g} seconds."))

    def _stop_soon(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self.fire, asyncio.CancelledError("the run was cancelled"))
        except RuntimeError:
            return  # the loop is closed, and the run with it
