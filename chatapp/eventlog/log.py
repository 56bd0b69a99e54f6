"""The writer of a process's frames: one transaction for all runs, about every 40 ms, then publish."""

from __future__ import annotations

import asyncio
import json
import logging
import math
from collections.abc import Callable

from django.db import DatabaseError, connection

from agents import events
from agents.cancel import shielded
from agents.errors import AgentsError
from agents.stores.orm import checkpoints
from agents.stores.orm.transactions import AWAY, as_storage_error, writing
from chatapp.eventlog.channel import PATIENCE, RunChannel
from chatapp.eventlog.frames import Frame
from chatapp.eventlog.rows import EventRow, insert_rows, publish_row
from chatapp.eventlog.threads import in_writer_thread
from chatapp.models import RunEvent

Operation = Callable[[Callable[[], None]], object]
logger = logging.getLogger(__name__)

ALMOST = 0.005  # all runs are written a little earlier rather than twice
RETRY_SECONDS = 0.5
END_SECONDS = 5.0
ATTEMPT_PAUSES = (0.2, 0.8, 2.0)


class EventLog:
    """Collects, writes and publishes. All of its methods run on one loop; its transactions do not."""

    def __init__(self, on_lost: Callable[[str, int], None]) -> None:
        self._channels: dict[str, RunChannel] = {}
        self._on_lost = on_lost
        self._all_due = self._hurried_due = math.inf  # when the loop's clock says so
        self._wake: asyncio.TimerHandle | None = None
        self._flushing: asyncio.Task[None] | None = None
        self._has_ended = False
        self._written = asyncio.Condition()

    def open(self, channel: RunChannel) -> None:
        self._channels[channel.run_id] = channel

    def close(self, channel: RunChannel) -> None:
        if self._channels.get(channel.run_id) is channel:  # a resume may have opened another one since
            del self._channels[channel.run_id]

    async def end(self) -> None:
        """Returns when what is being written is written; begins nothing more. The loop may end after it."""
        self._has_ended = True
        if self._wake is not None:
            self._wake.cancel()
        if self._flushing is not None:
            await asyncio.wait({self._flushing}, timeout=END_SECONDS)

    def emit(self, channel: RunChannel, event: events.Event) -> None:
        """Takes an event of a live run. Returns at once; the frame is shown when it is stored."""
        if channel.add(event):
            self._expect(channel.patience)

    def _expect(self, patience: float) -> None:
        """A flush at the latest when this has passed: of all runs, or of those that are in a hurry."""
        if patience >= PATIENCE and self._all_due < math.inf:
            return
        due = asyncio.get_running_loop().time() + patience
        if patience < PATIENCE:
            self._hurried_due = min(self._hurried_due, due)
        else:
            self._all_due = due
        self._arm()

    def _arm(self) -> None:
        due = min(self._all_due, self._hurried_due)
        if self._has_ended or self._flushing is not None or due == math.inf:
            return
        if self._wake is None or self._wake.when() > due:
            if self._wake is not None:
                self._wake.cancel()
            self._wake = asyncio.get_running_loop().call_at(due, self._start_flush)

    def _start_flush(self) -> None:
        loop = asyncio.get_running_loop()
        is_for_all = loop.time() + ALMOST >= self._all_due
        self._wake, self._hurried_due = None, math.inf
        self._all_due = math.inf if is_for_all else self._all_due
        self._flushing = loop.create_task(self._flush(is_for_all=is_for_all))

    async def _flush(self, *, is_for_all: bool) -> None:
        try:
            await self._write_batch([c for c in self._waiting() if is_for_all or c.is_hurried])
        except DatabaseError as error:
            logger.warning("event log: %s; trying again", error)
            self._all_due = min(self._all_due, asyncio.get_running_loop().time() + RETRY_SECONDS)
        finally:
            self._flushing = None
        for channel in self._waiting():
            self._expect(channel.patience)
        self._arm()

    def _waiting(self) -> list[RunChannel]:
        return [channel for channel in self._channels.values() if channel.has_news and not channel.writing]

    async def _write_batch(self, channels: list[RunChannel]) -> None:
        """One transaction for all; where one run's frames cannot be written, one for each."""
        for channel in channels:
            channel.take()
        held: set[str] = set()
        try:
            held = await in_writer_thread(lambda: _write_rows(channels)) if channels else held
        except AWAY:
            for channel in channels:
                channel.in_doubt = True
            raise
        except Exception:  # noqa: BLE001 (whatever it is, it is not the other runs' fault)
            held = await in_writer_thread(lambda: _write_each(channels))
        finally:
            for channel in channels:
                self._settle(channel, written=channel.run_id in held)
            await self._notify()
        for channel in channels:
            if channel.run_id not in held:
                self._on_lost(channel.run_id, channel.fence)

    def _settle(self, channel: RunChannel, *, written: bool) -> None:
        if not written:
            channel.failed()
        elif row := channel.wrote():
            publish_row(row)

    async def write_with(
        self, channel: RunChannel, operation: Operation, *, closing: list[Frame], added: int = 0
    ) -> None:
        """Runs one transaction of the run, `operation(inside)`, which writes the waiting frames with it.

        `inside` is to be called within the transaction, after the counted row. The open text of the turn
        ends here, and the `closing` frames follow it; `added` entries are stored. Frames are published only
        after the commit. A database that is away for a moment is tried again.
        """
        await shielded(self._write_with(channel, RunWrite(channel, operation, closing, added)))

    async def _write_with(self, channel: RunChannel, write: RunWrite) -> None:
        async with self._written:
            await self._written.wait_for(lambda: not channel.writing)
            channel.take(turn_ends=True)
        is_written = False
        try:
            await self._attempt(write)
            is_written = True
        finally:
            if not is_written:
                channel.failed()
            elif row := channel.wrote(channel.stored + write.added):
                publish_row(row)
            await self._notify()

    async def _attempt(self, write: RunWrite) -> None:
        for pause in ATTEMPT_PAUSES:
            try:
                return await in_writer_thread(write.attempt)
            except AWAY as error:
                logger.warning("run %s: not saved (%s); trying again", write.channel.run_id, error)
                await asyncio.sleep(pause)
        with as_storage_error():
            return await in_writer_thread(write.attempt)

    async def _notify(self) -> None:
        async with self._written:
            self._written.notify_all()


class RunWrite:
    """One transaction of a run, which may have to be tried more than once, and happens once."""

    def __init__(self, channel: RunChannel, operation: Operation, closing: list[Frame], added: int) -> None:
        self.channel = channel
        self.added = added
        self._operation = operation
        self._closing = closing
        self._row: EventRow | None = None
        self._was_tried = False

    def attempt(self) -> None:
        """In a writer's thread. A commit whose answer got lost is found, and not done again."""
        if not self._was_tried:
            self._row = self._prepared()
            self._was_tried = True
        elif self._is_committed():
            return
        try:
            self._write()
        except (*AWAY, AgentsError):
            raise
        except Exception as error:
            if self._row is None:
                raise
            self._row = self._without_frames(error)
            self._write()

    def _write(self) -> None:
        self._operation(lambda: insert_rows([self._row] if self._row else []))

    def _prepared(self) -> EventRow | None:
        try:
            return self.channel.prepare(closing=self._closing)
        except AWAY:
            raise
        except Exception as error:  # noqa: BLE001 (see above)
            return self._without_frames(error)

    def _without_frames(self, error: Exception) -> EventRow | None:
        """An entry is worth more than the frames that show it: those that cannot be written are given up."""
        _give_up(self.channel, error)
        return self.channel.prepare(closing=self._closing)

    def _is_committed(self) -> bool:
        if self._row is not None:
            known = RunEvent.objects.filter(
                thread_id=self._row.thread_id, run_id=self._row.run_id, first_seq=self._row.first_seq
            ).first()
            return known is not None and known.frames == json.loads(self._row.frames)
        run = checkpoints.run_in_flight(self.channel.run_id)
        is_ours = run is not None and run.fence == self.channel.fence
        return bool(is_ours and run and self.added and run.next_index == self.channel.stored + self.added)


def _write_rows(channels: list[RunChannel]) -> set[str]:
    rows = [channel.prepare() for channel in channels]
    with writing():
        _hasten()
        held = checkpoints.hold_fences({channel.run_id: channel.fence for channel in channels})
        insert_rows([row for row in rows if row and row.run_id in held])
    return held


def _write_each(channels: list[RunChannel]) -> set[str]:
    """After a batch that could not be written: each run by itself, so that none waits for a bad one."""
    held: set[str] = set()
    for channel in channels:
        try:
            held |= _write_rows([channel])
        except AWAY:
            for each in channels:
                each.in_doubt = True
            raise
        except Exception as own:  # noqa: BLE001 (see above)
            _give_up(channel, own)
            held.add(channel.run_id)
    return held


def _give_up(channel: RunChannel, error: Exception) -> None:
    count = channel.drop_waiting()
    logger.error("run %s: %s frames cannot be shown: %r", channel.run_id, count, error)


def _hasten() -> None:
    """Frames survive a crash of the process, not of the machine: no need to wait for the disk."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL synchronous_commit = off")
