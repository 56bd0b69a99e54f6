"""Where the calls of one turn report while they run: what has finished, and how far the others are."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable

from agents.runtime.tool_execution import Outcome
from agents.tools.base import Progress

_SHOW_EVERY = 0.05


class ToolBoard:
    """Progress that comes faster than it is shown replaces what waits to be shown."""

    def __init__(self) -> None:
        self.finished: deque[asyncio.Task[Outcome]] = deque()
        self._progress: dict[str, Progress] = {}
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._wake = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._shown_at = 0.0

    async def wait(self) -> None:
        """Until there is something new."""
        await self._wake.wait()
        self._wake.clear()

    def finish(self, task: asyncio.Task[Outcome]) -> None:
        self.finished.append(task)
        self._wake.set()

    def take_progress(self) -> dict[str, Progress]:
        taken, self._progress = self._progress, {}
        return taken

    def reporter(self, call_id: str) -> Callable[[Progress], None]:
        """For one call; may be called from any thread."""

        def report(progress: Progress) -> None:
            if threading.get_ident() == self._thread:
                self._post(call_id, progress)
            elif not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._post, call_id, progress)

        return report

    def close(self) -> None:
        if self._timer:
            self._timer.cancel()

    def _post(self, call_id: str, progress: Progress) -> None:
        self._progress[call_id] = progress
        if self._timer is None:
            wait = max(0.0, self._shown_at + _SHOW_EVERY - self._loop.time())
            self._timer = self._loop.call_later(wait, self._show)

    def _show(self) -> None:
        self._timer = None
        self._shown_at = self._loop.time()
        self._wake.set()
