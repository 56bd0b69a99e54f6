"""The heartbeat of a process: renews its leases while its loop ticks, and looks after orphans."""

from __future__ import annotations

import asyncio
import logging
import random
import threading
import time
from typing import TYPE_CHECKING

from django.db import DatabaseError, close_old_connections

from agents.stores.orm import checkpoints
from chatapp.executor import reaper
from chatapp.executor.advance import advance_all

if TYPE_CHECKING:
    from chatapp.executor.inprocess import InProcessExecutor

logger = logging.getLogger(__name__)

BEAT_SECONDS = 2.0
SWEEP_SECONDS = 300.0


class Pulse:
    """Beats every two seconds. A loop that hangs for a lease's length gets no beat: its runs are lost."""

    def __init__(self, executor: InProcessExecutor, loop: asyncio.AbstractEventLoop) -> None:
        self._executor = executor
        self._loop = loop
        self._ended = threading.Event()
        self._is_reaping = True
        self._ticked = time.monotonic()
        self._swept = 0.0
        self._thread = threading.Thread(target=self._run, name="pulse", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop_reaping(self) -> None:
        self._is_reaping = False

    def stop(self) -> None:
        self._ended.set()

    def _run(self) -> None:
        self._once(reaper.expire_the_dead)
        while not self._loop.is_closed():
            self._once(self._beat)
            if self._is_reaping:
                self._once(self._reap)
            if self._ended.wait(BEAT_SECONDS * random.uniform(0.9, 1.1)):  # noqa: S311 (jitter)
                return

    def _once(self, step: object) -> None:
        close_old_connections()
        try:
            step()  # type: ignore[operator]
        except DatabaseError as error:
            logger.warning("heartbeat: %s", error)
        finally:
            close_old_connections()

    def _beat(self) -> None:
        self._loop.call_soon_threadsafe(self._tick)
        held = set(self._executor.live_run_ids)
        if held and time.monotonic() - self._ticked < checkpoints.LEASE_SECONDS:
            self._executor.take_beats(checkpoints.heartbeat(checkpoints.process_owner()), held)

    def _tick(self) -> None:
        self._ticked = time.monotonic()

    def _reap(self) -> None:
        reaper.look_after_orphans(self._executor)
        advance_all(self._executor)
        if time.monotonic() - self._swept > SWEEP_SECONDS:
            self._swept = time.monotonic()
            reaper.sweep()
