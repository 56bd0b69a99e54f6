"""A worker in the test's own process, so that scripted providers and fakes work in it as well."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from chatapp.lifecycle import runs_wait_for_workers


@contextmanager
def worker_here() -> Iterator[None]:
    """With RUN_EXECUTOR=procrastinate, runs are driven within the block; else there is no need of workers."""
    if not runs_wait_for_workers():
        yield
        return
    worker = WorkerThread()
    worker.start()
    assert worker.is_ready.wait(20)
    try:
        yield
    finally:
        worker.stop()


class WorkerThread(threading.Thread):
    """As `manage.py procrastinate worker`, on a loop of its own; its runs end with it."""

    def __init__(self) -> None:
        super().__init__(name="worker", daemon=True)
        self.is_ready = threading.Event()
        self._stopping = asyncio.Event()

    def run(self) -> None:
        asyncio.run(self._work())

    async def _work(self) -> None:
        from procrastinate.contrib.django import app

        from chatapp.executor.worker import connector, work

        self._loop = asyncio.get_running_loop()
        with app.replace_connector(connector()):
            async with app.open_async():
                self.is_ready.set()
                await work(app, self._stopping, shutdown_graceful_timeout=0, fetch_job_polling_interval=0.05)

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._stopping.set)
        self.join(20)
        assert not self.is_alive()
