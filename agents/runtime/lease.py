"""Holds a run for this caller while it runs, where the checkpointer knows of such a thing."""

from __future__ import annotations

import asyncio
import logging

from agents.cancel import shielded
from agents.checkpoint import Checkpointer, LeasingCheckpointer
from agents.errors import LeaseLost
from agents.runtime.failure import message_of
from agents.runtime.interrupt import Interrupt

logger = logging.getLogger(__name__)


class Lease:
    def __init__(self, run_id: str, checkpointer: Checkpointer | None) -> None:
        self._run_id = run_id
        keeper: object = checkpointer
        self._keeper = keeper if isinstance(keeper, LeasingCheckpointer) else None
        self._held = False
        self._beating: asyncio.Task[None] | None = None

    async def acquire(self) -> None:
        """RunInFlight if somebody else runs this run. Comes before the first look at what is stored."""
        if self._keeper:
            await shielded(self._acquire(self._keeper))

    def keep(self, interrupt: Interrupt) -> None:
        """Beat from now on, if that is ours to do; a lost lease interrupts the run."""
        if self._keeper and self._keeper.heartbeat_every:
            self._beating = asyncio.create_task(
                self._beat(self._keeper, self._keeper.heartbeat_every, interrupt)
            )

    async def release(self) -> None:
        """Best effort: a lease that is not released runs out."""
        if self._beating:
            self._beating.cancel()
        if self._keeper and self._held:
            self._held = False
            try:
                await shielded(self._keeper.release(self._run_id))
            except Exception as error:  # noqa: BLE001 - belongs to the terminal save
                logger.warning("the lease of run %s was not released: %s", self._run_id, message_of(error))

    async def _acquire(self, keeper: LeasingCheckpointer) -> None:
        # Also when the caller is cancelled meanwhile: the lease is taken then, and must be released.
        await keeper.acquire(self._run_id)
        self._held = True

    async def _beat(self, keeper: LeasingCheckpointer, every: float, interrupt: Interrupt) -> None:
        while True:
            await asyncio.sleep(every)
            try:
                await keeper.beat(self._run_id)
            except LeaseLost as error:
                interrupt.fire(error)
                return
            except Exception as error:  # noqa: BLE001 - the next beat may get through
                logger.warning("run %s missed a heartbeat: %s", self._run_id, message_of(error))
