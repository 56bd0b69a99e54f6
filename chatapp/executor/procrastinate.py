"""Runs in workers: a process that is sent a message stores the run with a job, and a worker drives it.

What a run needs while it is driven is as in `inprocess`: the lease, the heartbeat, the event log. The job
only brings it to a worker and counts against the worker's concurrency; whether it may be driven is said by
the lease alone. So a job that comes twice, late, or from a backup of the queue does no harm.
"""

from __future__ import annotations

import asyncio
import logging

from django.db import DatabaseError

from chatapp.eventlog.threads import in_writer_thread
from chatapp.executor.deferring import defer
from chatapp.executor.inprocess import InProcessExecutor
from chatapp.lifecycle import RunJob, take

logger = logging.getLogger(__name__)

RETRY_SECONDS = 1.0


class ProcrastinateExecutor(InProcessExecutor):
    """In a web process it only defers; in a worker it also drives the runs whose jobs it is given."""

    def prepare(self, job: RunJob) -> None:
        defer(job.run_id)

    def submit(self, job: RunJob) -> None:
        """A worker has been told by the database."""

    async def work_off(self, run_id: str) -> None:
        """One job, on the loop of the worker: takes the run and returns when it has ended here.

        A worker that is stopping gives the job back. A cancel ends the job, not the run, whose lease goes on.
        """
        if self.is_stopping:
            await in_writer_thread(lambda: defer(run_id))
            return
        job = await self._take(run_id)
        if job is not None:
            run = self._launch(job)
            assert run.task is not None
            await asyncio.wait([run.task])

    async def _take(self, run_id: str) -> RunJob | None:
        while True:
            try:
                return await in_writer_thread(lambda: take(run_id))
            except DatabaseError as error:
                logger.warning("run %s: not taken yet: %s", run_id, error)
                await asyncio.sleep(RETRY_SECONDS)
