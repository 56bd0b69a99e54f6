"""What the rest of the app asks of an executor, whichever it is, and how a run is handed to it."""

from __future__ import annotations

import asyncio
from typing import Protocol

from django.db import transaction

from chatapp.eventlog import Frame, publish
from chatapp.lifecycle import RunJob


class Executor(Protocol):
    """Where runs execute. Every method but `start` and `shutdown` may be called from any thread."""

    def prepare(self, job: RunJob) -> None:
        """In the transaction that stores the run: what must be there with it, or not at all."""

    def submit(self, job: RunJob) -> None:
        """After that transaction. Returns at once."""

    def request_stop(self, run_id: str, fence: int) -> bool:
        """Ends the run as stopped if this process drives it; its end is stored a moment later."""

    def abandon(self, run_id: str) -> None:
        """Ends the run without another write if this process drives it: its rows are gone."""

    def drives(self, run_id: str) -> bool:
        """Whether it is a run of this process, now."""

    def wait(self, run_id: str, timeout: float) -> None:
        """Until the run's end is stored, where this process drives it, or the time is over."""

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Works on this loop from now on: heartbeat, reaper, wishes, relay."""

    async def shutdown(self, grace: float) -> None:
        """Takes nothing new, lets the runs it drives end for `grace` seconds, hands over the rest."""


def execute(executor: Executor, job: RunJob, frames: list[Frame]) -> None:
    """In the transaction that stores the run or resumes it: after the commit it is shown, and driven."""
    executor.prepare(job)

    def go() -> None:
        publish(job.thread_id, job.run_id, frames)
        executor.submit(job)

    transaction.on_commit(go)
