"""The heartbeat of a process: renews its leases while its loop ticks. Beside it, what looks after orphans.

Two threads: a heartbeat must not wait for a thread's lock that a decision about an orphan waits for.
"""

from __future__ import annotations

import asyncio
import logging
import random
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from django.db import DatabaseError, close_old_connections

from agents.stores.orm import checkpoints
from chatapp.executor import reaper
from chatapp.executor.advance import advance
from chatapp.lifecycle.queue import waiting_thread_ids

if TYPE_CHECKING:
    from chatapp.executor.inprocess import InProcessExecutor

logger = logging.getLogger(__name__)

BEAT_SECONDS = 2.0
SWEEP_SECONDS = 300.0
STOP_SECONDS = 1.0


class Pulse:
    """Beats every two seconds. A loop that hangs for a lease's length gets no beat: its runs are lost."""

    def __init__(self, executor: InProcessExecutor, loop: asyncio.AbstractEventLoop) -> None:
        self._executor = executor
        self._loop = loop
        self._ended = threading.Event()
        self._is_reaping = True
        self._ticked = time.monotonic()
        self._swept = 0.0

        self._threads = [
            threading.Thread(target=self._beat_for_ever, name="pulse", daemon=True),
            threading.Thread(target=self._reap_for_ever, name="reaper", daemon=True),
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop_reaping(self) -> None:
        self._is_reaping = False

    def stop(self) -> None:
        """Returns when nothing more is asked of the database, or it takes too long."""
        self._ended.set()
        for thread in self._threads:
            thread.join(STOP_SECONDS)

    def _beat_for_ever(self) -> None:
        while self._goes_on():
            self._once(self._beat)

    def _reap_for_ever(self) -> None:
        self._once(reaper.expire_the_dead)
        self._once(self._reap)
        while self._goes_on() and self._is_reaping:
            self._once(self._reap)

    def _goes_on(self) -> bool:
        pause = BEAT_SECONDS * random.uniform(0.9, 1.1)  # noqa: S311 (jitter)
        return not self._ended.wait(pause) and not self._loop.is_closed()

    def _once(self, step: Callable[[], object]) -> None:
        close_old_connections()
        try:
            step()
        except DatabaseError as error:
            logger.warning("%s: %s", threading.current_thread().name, error)
        except Exception:
            logger.exception("%s: a fault of ours; it goes on", threading.current_thread().name)
        finally:
            close_old_connections()

    def _beat(self) -> None:
        self._loop.call_soon_threadsafe(self._tick)
        held = self._executor.live_fences
        if held and time.monotonic() - self._ticked < checkpoints.LEASE_SECONDS:
            beats = checkpoints.heartbeat(checkpoints.process_owner(), held)
            self._executor.take_beats(beats, held)

    def _tick(self) -> None:
        self._ticked = time.monotonic()

    def _reap(self) -> None:
        reaper.keep_waiting_runs_live()
        reaper.look_after_orphans(self._executor)
        for thread_id in waiting_thread_ids():
            reaper.each_by_itself(str(thread_id), advance, self._executor, thread_id)
        if time.monotonic() - self._swept > SWEEP_SECONDS:
            self._swept = time.monotonic()
            reaper.sweep()
