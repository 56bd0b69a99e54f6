"""Runs as asyncio tasks of this process: on the server's loop, or on one of our own without a server."""

from __future__ import annotations

import asyncio
import contextvars
import json
import logging
import threading
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from agents.errors import LeaseLost
from agents.stores.orm import checkpoints
from agents.stores.orm.checkpoints import Beat
from chatapp.eventlog import EventLog, Relay, RunChannel, hub, reaches_other_processes
from chatapp.eventlog.channel import Decorate
from chatapp.eventlog.hub import Delivery, owner_topic, user_topic
from chatapp.eventlog.threads import in_background, wait_for_background
from chatapp.executor.advance import advance
from chatapp.executor.checkpointer import RunCheckpointer
from chatapp.executor.drive import drive
from chatapp.executor.pulse import Pulse
from chatapp.lifecycle import RunJob

logger = logging.getLogger(__name__)

BACKGROUND_SECONDS = 5.0
EARLY_WISHES = 100  # wishes to stop that may wait for the launch of their run


@dataclass(slots=True, eq=False)
class LiveRun:
    """A task and what it needs to be ended. `done` is set when its end is stored."""

    job: RunJob
    channel: RunChannel
    checkpointer: RunCheckpointer
    task: asyncio.Task[None] | None = None
    done: threading.Event = field(default_factory=threading.Event)


class InProcessExecutor:
    """Every method but `shutdown` may be called from any thread."""

    def __init__(self) -> None:
        self.decorate: Decorate | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._log: EventLog | None = None
        self._live: dict[str, LiveRun] = {}
        self._lock = threading.Lock()
        self._pulse: Pulse | None = None
        self._services: list[asyncio.Task[None]] = []
        self._early_wishes: deque[tuple[str, int]] = deque(maxlen=EARLY_WISHES)
        self.is_stopping = False

    # start and end

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Executes on this loop from now on, beats for its runs, and looks after runs without an owner."""
        with self._lock:
            self._begin(loop)

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop, self.is_stopping = loop, False
        self._log = EventLog(on_lost=self._lost)
        loop.call_soon_threadsafe(self._listen)
        self._pulse = Pulse(self, loop)
        self._pulse.start()

    def _listen(self) -> None:
        """On the loop: joins the other processes, and hears who asks for an end of its runs."""
        assert self._loop is not None
        works = [self._mind_wishes()] + ([Relay(hub).run()] if reaches_other_processes() else [])
        self._services = [self._loop.create_task(work) for work in works]

    async def _mind_wishes(self) -> None:
        """A wish to stop reaches its owner at once; one that is lost is seen with the next heartbeat."""
        wishes = hub.subscribe(owner_topic(checkpoints.process_owner()))
        try:
            while True:
                delivery = await wishes.get()
                for _, text in delivery.frames if delivery else ():
                    wish = json.loads(text)
                    self.request_stop(wish["run_id"], wish["fence"])
        finally:
            hub.unsubscribe(wishes)

    def _ensure_started(self) -> asyncio.AbstractEventLoop | None:
        """The loop of the runs; None where the process has shut down, and nobody would hand them over."""
        with self._lock:
            if self._loop is None or self._loop.is_closed():
                if self.is_stopping:
                    return None
                loop = asyncio.new_event_loop()
                threading.Thread(target=loop.run_forever, name="runs", daemon=True).start()
                self._begin(loop)
            return self._loop

    async def shutdown(self, grace: float) -> None:
        """Takes nothing new, lets runs end for `grace` seconds, hands over the rest."""
        self.is_stopping = True
        if self._pulse is not None:
            self._pulse.stop_reaping()
        tasks = {run.task for run in self._live.values() if run.task}
        if tasks:
            await asyncio.wait(tasks, timeout=grace)
        for run in list(self._live.values()):
            run.checkpointer.is_handing_over = True
            self._cancel(run)
        left = {run.task for run in self._live.values() if run.task}
        if left:
            await asyncio.wait(left, timeout=10)
        if self._pulse is not None:
            await asyncio.to_thread(self._pulse.stop)
        if self._log is not None:
            await self._log.end()
        await self._end_services()
        self._loop = None
        await asyncio.to_thread(wait_for_background, BACKGROUND_SECONDS)

    async def _end_services(self) -> None:
        for service in self._services:
            service.cancel()
        if self._services:
            await asyncio.wait(self._services, timeout=1)

    # commands

    def prepare(self, job: RunJob) -> None:
        """The lease is this process's already: there is nothing else to store."""

    def submit(self, job: RunJob) -> None:
        """Drives the run whose lease this process has just taken. Returns at once."""
        loop = self._ensure_started()
        try:
            if loop is not None:
                loop.call_soon_threadsafe(self._accept, job)
        except RuntimeError:  # it was closed in this moment
            loop = None
        if loop is None:
            in_background(lambda: hand_over(job))  # the hooks of a commit may not write

    def request_stop(self, run_id: str, fence: int) -> bool:
        """Ends the run as stopped if it is one of this process; its end is stored a moment later."""
        loop = self._loop
        if loop is None:
            return False
        loop.call_soon_threadsafe(self._stop_by_id, run_id, fence)
        return run_id in self._live

    def abandon(self, run_id: str) -> None:
        """Ends the task without another write: its rows are gone."""
        loop = self._loop
        if loop is not None and run_id in self._live:
            loop.call_soon_threadsafe(self._lost, run_id)

    def drives(self, run_id: str) -> bool:
        return run_id in self._live

    def wait(self, run_id: str, timeout: float) -> None:
        """Until the run's end is stored, where it is one of this process, or the time is over."""
        run = self._live.get(run_id)
        if run is not None:
            run.done.wait(timeout)

    @property
    def live_fences(self) -> dict[str, int]:
        """The runs that this process drives, and under which lease."""
        return {run_id: run.job.fence for run_id, run in list(self._live.items())}

    @property
    def live_run_ids(self) -> list[str]:
        return list(self._live)

    # on the loop

    def _accept(self, job: RunJob) -> None:
        if self._loop is None:  # shut down since it was submitted
            in_background(lambda: hand_over(job))
        else:
            self._launch(job)

    def _launch(self, job: RunJob) -> LiveRun:
        assert self._log is not None
        assert self._loop is not None
        channel = RunChannel(
            thread_id=job.thread_id,
            run_id=job.run_id,
            owner_id=job.owner_id,
            fence=job.fence,
            next_seq=job.next_seq,
            stored=job.stored,
            void=job.void,
            decorate=self.decorate,
        )
        run = LiveRun(job, channel, RunCheckpointer(self._log, channel, job))
        run.checkpointer.is_handing_over = self.is_stopping
        self._log.open(channel)
        self._live[job.run_id] = run
        work = drive(job, log=self._log, channel=channel, checkpointer=run.checkpointer)
        run.task = self._loop.create_task(work, name=f"run {job.run_id}", context=contextvars.Context())
        run.task.add_done_callback(lambda task: self._ended(run, task))
        announce(job, "live")
        if self.is_stopping:
            self._cancel(run)
        if (job.run_id, job.fence) in self._early_wishes:
            self._stop(run)
        return run

    def _stop_by_id(self, run_id: str, fence: int) -> None:
        """The wish may come before the run is launched: its launch finds it. It is about this lease only."""
        run = self._live.get(run_id)
        if run is None:
            self._early_wishes.append((run_id, fence))
        elif run.job.fence == fence:
            self._stop(run)

    def _stop(self, run: LiveRun) -> None:
        if not run.checkpointer.is_stopping:
            run.checkpointer.is_stopping = True
            self._cancel(run)

    def _cancel(self, run: LiveRun) -> None:
        """A task that is cancelled before its first step would end without storing its end."""
        if run.task is None or run.task.done():
            return
        if run.checkpointer.has_begun:
            run.task.cancel()
        elif self._loop is not None:
            self._loop.call_soon(self._cancel, run)

    def _ended(self, run: LiveRun, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and task.exception() is not None:
            logger.error("run %s: %r", run.job.run_id, task.exception())
        if self._log is not None:
            self._log.close(run.channel)
        if self._live.get(run.job.run_id) is run:  # it may have been resumed here since
            del self._live[run.job.run_id]
        run.done.set()
        announce(run.job, "ended")
        if self._loop is not None and not self.is_stopping:
            in_background(lambda: advance(self, run.job.thread_id))

    def _lost(self, run_id: str, fence: int | None = None) -> None:
        run = self._live.get(run_id)
        if run is not None and not run.checkpointer.has_ended and fence in (None, run.job.fence):
            logger.warning("run %s: the lease is lost", run_id)
            run.checkpointer.has_ended = True
            self._cancel(run)

    # from the pulse

    def take_beats(self, beats: list[Beat], held_before: Mapping[str, int]) -> None:
        """What the heartbeat has found: runs that somebody asked to stop, and leases that are gone."""
        loop = self._loop
        if loop is None:
            return
        for beat in beats:
            if beat.stop_requested:
                loop.call_soon_threadsafe(self._stop_by_id, beat.run_id, beat.fence)
        for run_id in held_before.keys() - {beat.run_id for beat in beats}:
            loop.call_soon_threadsafe(self._lost, run_id, held_before[run_id])


def hand_over(job: RunJob) -> None:
    """The run came too late for this process: it goes on elsewhere, or once this one is back."""
    with suppress(LeaseLost):
        checkpoints.release(job.run_id, job.fence, handed_over=True)


def announce(job: RunJob, state: str) -> None:
    """Tells the owner's sidebar. Only a hint: it reads the state from the database."""
    frame: dict[str, Any] = {"type": "thread", "thread": str(job.thread_id), "state": state}
    hub.deliver(user_topic(job.owner_id), Delivery.of(None, [frame]))
