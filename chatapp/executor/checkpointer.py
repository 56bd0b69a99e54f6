"""The engine's saves of a live run, each one transaction with the frames that wait to be shown.

Stands between the run loop, which knows only the Checkpointer protocol, and the rows of this process's
lease. How a run ends besides completing (stopped, failed, handed over) is decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from agents.checkpoint import RunHead, RunSnapshot
from agents.session import Session
from agents.stores.orm import checkpoints
from agents.stores.orm.transactions import as_storage_error, writing
from agents.transcript import Entry
from chatapp.eventlog import EventLog, RunChannel
from chatapp.eventlog.threads import in_writer_thread
from chatapp.executor.lookup import thread_of
from chatapp.lifecycle import RunJob, fold
from chatapp.lifecycle.folding import finished_frame

Inside = Callable[[], None]


class RunCheckpointer:
    """A Checkpointer for exactly one run, whose lease is held by the job's fence.

    `is_stopping`: the user asked for the end, so the terminal save folds. `is_handing_over`: the process
    ends, so the run goes on elsewhere. `has_ended`: the terminal save is done.
    """

    heartbeat_every: float | None = None

    def __init__(self, log: EventLog, channel: RunChannel, job: RunJob) -> None:
        self._log = log
        self._channel = channel
        self._job = job
        self._head: RunHead | None = None
        self._owed: tuple[list[Entry], RunHead] | None = None  # an end that could not be stored yet
        self.has_begun = False
        self.is_stopping = False
        self.is_handing_over = False
        self.has_ended = False

    async def acquire(self, run_id: str) -> None:
        """The lease was taken when the job was made."""

    async def release(self, run_id: str) -> None:
        """It ends with the terminal save."""

    async def beat(self, run_id: str) -> None:
        """The executor renews the leases of all of its runs at once."""

    async def load(self, run_id: str) -> RunSnapshot | None:
        snapshot = self._job.snapshot or await self._read(run_id)
        if snapshot is not None:
            self._head = snapshot.head
        return snapshot

    async def _read(self, run_id: str) -> RunSnapshot | None:
        with as_storage_error():
            return await in_writer_thread(lambda: checkpoints.load_run(run_id))

    async def delete(self, run_id: str) -> None:
        """The finish transaction has done it."""

    async def append(self, run_id: str, entries: Sequence[Entry], head: RunHead) -> None:
        """One save. A head that is not running any more is the terminal one."""
        self._head = head
        if head.status in ("interrupted", "failed"):
            await self._end(list(entries), head)
            return
        await self._log.write_with(
            self._channel,
            lambda inside: checkpoints.append(run_id, self._job.fence, list(entries), head, inside=inside),
            closing=[],
            added=len(entries),
        )

    def can_finish(self, session: Session) -> bool:
        return True

    async def finish(
        self,
        run_id: str,
        entries: Sequence[Entry],
        head: RunHead,
        *,
        session: Session,
        meta: dict[str, Any] | None,
        delete: bool,
    ) -> None:
        """Completed, in the session, and gone from the checkpoints: one transaction with `run_finished`."""

        def write(inside: Inside) -> None:
            checkpoints.finish(run_id, self._job.fence, list(entries), head, meta=meta, inside=inside)

        await self._log.write_with(self._channel, write, closing=[finished_frame("completed")])
        self.has_ended = True

    async def end(self, error: dict[str, Any] | None = None) -> None:
        """The terminal save, where the engine did not come to it: a very early stop, or an error outside."""
        if not self.has_ended:
            await self._end(*(self._owed or await self._end_with(error)))

    async def _end_with(self, error: dict[str, Any] | None) -> tuple[list[Entry], RunHead]:
        if self._head is None:
            await self.load(self._job.run_id)  # what is stored is kept: usage, turns, the calls that started
        head = self._head or RunHead(agent_name=self._job.assistant, session_id=self._job.session_id)
        return [], replace(head, status="failed" if error else "interrupted", error=error)

    async def _end(self, entries: list[Entry], head: RunHead) -> None:
        self._owed = entries, head
        if self.is_stopping:
            write, frame = self._stopped(entries, head), finished_frame("stopped")
        elif self.is_handing_over:
            head = replace(head, status="running", error=None)
            write = self._released(entries, head, handed_over=True)
            frame = finished_frame("interrupted") | {"handed_over": True}
        else:
            write = self._released(entries, head, handed_over=False)
            frame = finished_frame("failed" if head.error else "interrupted", error=head.error)
        await self._log.write_with(self._channel, write, closing=[frame])
        self.has_ended = True

    def _stopped(self, entries: list[Entry], head: RunHead) -> Callable[[Inside], None]:
        job = self._job

        def write(inside: Inside) -> None:
            with writing():
                checkpoints.append(job.run_id, job.fence, entries, head, inside=inside)
                run = checkpoints.in_flight(job.session_id)
                assert run is not None
                fold(thread_of(job), run, fence=job.fence, ending="stopped")

        return write

    def _released(
        self, entries: list[Entry], head: RunHead, *, handed_over: bool
    ) -> Callable[[Inside], None]:
        job = self._job

        def write(inside: Inside) -> None:
            with writing():
                checkpoints.append(job.run_id, job.fence, entries, head, inside=inside)
                checkpoints.release(job.run_id, job.fence, head=head, handed_over=handed_over)

        return write
