"""A process of the product: started, disturbed and started again as the plan says."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp

from benchmarks.chaos.ledger import Ledger
from benchmarks.chaos.weather import Weather

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 90
START_TRIES = 10
END_SECONDS = 25
AFTERMATH = 1.0
"""For so long after it was disturbed a process may answer with 5xx."""


@dataclass(frozen=True, slots=True)
class Command:
    """A kind of process and how it is started. `port`: where it serves pages; None where it serves none.
    `greeting`: what such a one logs when it is up."""

    name: str
    arguments: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)
    port: int | None = None
    greeting: str = ""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


class Process:
    """One at a time of a command. `up` is set while it can be expected to answer."""

    def __init__(self, command: Command, folder: Path, *, weather: Weather, ledger: Ledger) -> None:
        self.command = command
        self.log = folder / f"{command.name}.log"
        self.up = asyncio.Event()
        self.disturbed_at = 0.0
        self.pauses: list[tuple[float, float]] = []
        self._weather = weather
        self._ledger = ledger
        self._launched_at = 0.0
        self._greetings = 0
        self._process: asyncio.subprocess.Process | None = None
        self._watch: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        return self.command.url

    @property
    def serves(self) -> bool:
        return self.command.port is not None

    def was_disturbed_since(self, moment: float) -> bool:
        return not self.up.is_set() or self.disturbed_at + AFTERMATH >= moment

    async def launch(self) -> None:
        """Starts it, without waiting until it answers."""
        self._launched_at, self._greetings = time.time(), self._count_greetings()
        with self.log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                *self.command.arguments,
                cwd=ROOT,
                env=self.command.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._watch = asyncio.create_task(self._watch_death(self._process))

    async def start(self) -> None:
        """Until it is up; again where it has ended since there was no database."""
        for _ in range(START_TRIES):
            await self.launch()
            await self._wait_until_up()
            if self.up.is_set() or self.is_running:
                return
            await asyncio.sleep(1)

    async def _wait_until_up(self) -> None:
        """Accuses it where it does not come up."""
        started = time.monotonic()
        while self.is_running and not await self._answers():
            if time.monotonic() - started > START_SECONDS:
                self._ledger.accuse("starts", f"{self.command.name} does not answer after {START_SECONDS} s")
                return
            await asyncio.sleep(0.05)
        self.disturbed_at = time.time()
        if self.is_running:
            self.up.set()

    async def _answers(self) -> bool:
        if not self.serves:
            return self._count_greetings() > self._greetings
        timeout = aiohttp.ClientTimeout(total=2)
        with suppress(aiohttp.ClientError, TimeoutError, OSError):
            async with (
                aiohttp.ClientSession(timeout=timeout) as session,
                session.get(f"{self.url}/livez") as answer,
            ):
                return answer.status == 200
        return False

    def _count_greetings(self) -> int:
        greeting = self.command.greeting
        return self.log.read_text(errors="replace").count(greeting) if greeting and self.log.exists() else 0

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def _watch_death(self, process: asyncio.subprocess.Process) -> None:
        code = await process.wait()
        if self._process is process:
            self.disturb()
            if code == 1 and self._weather.was_bad(self._launched_at):
                self._ledger.count("starts without a database")
            else:
                self._ledger.accuse("lives", f"{self.command.name} ended by itself with {code}")

    def disturb(self) -> None:
        self.up.clear()
        self.disturbed_at = time.time()

    async def kill(self) -> None:
        """kill -9, to the whole group."""
        self.disturb()
        process, self._process = self._process, None
        await self._end(process, signal.SIGKILL)

    async def terminate(self, *, kill_after: float | None = None) -> None:
        """SIGTERM, as a deploy does it; with `kill_after` whoever deploys has no patience."""
        self.disturb()
        process, self._process = self._process, None
        if process is None:
            return
        self._send(process, signal.SIGTERM)
        try:
            code = await asyncio.wait_for(process.wait(), kill_after or END_SECONDS)
        except TimeoutError:
            if kill_after is None:
                self._ledger.accuse("ends", f"{self.command.name} did not end within {END_SECONDS} s")
            await self._end(process, signal.SIGKILL)
            return
        if code not in (0, -signal.SIGTERM):
            self._ledger.accuse("ends", f"{self.command.name} ended with {code} at SIGTERM")

    async def pause(self, seconds: float) -> None:
        """SIGSTOP and, later, SIGCONT."""
        process = self._process
        if process is None:
            return
        self.disturb()
        began = time.time()
        self._send(process, signal.SIGSTOP)
        try:
            await asyncio.sleep(seconds)
        finally:
            self._send(process, signal.SIGCONT)
            self.pauses.append((began, time.time()))
        self.disturbed_at = time.time()
        if self._process is process:
            self.up.set()

    async def _end(self, process: asyncio.subprocess.Process | None, which: signal.Signals) -> None:
        if process is not None:
            self._send(process, which)
            await process.wait()

    def _send(self, process: asyncio.subprocess.Process, which: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, which)
