"""Carries out the plan: one hand for each process, and one for what stands around them."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import nullcontext

from benchmarks.chaos.deployment import Deployment
from benchmarks.chaos.ledger import Ledger
from benchmarks.chaos.plan import Fault, Plan
from benchmarks.chaos.process import Process
from benchmarks.chaos.weather import Weather


class Injector:
    """`run` ends when the plan is carried out or its time is over, and leaves every process up."""

    def __init__(
        self,
        plan: Plan,
        processes: list[Process],
        deployment: Deployment,
        *,
        weather: Weather,
        ledger: Ledger,
    ) -> None:
        self._weather = weather
        self._plan = plan
        self._processes = processes
        self._deployment = deployment
        self._ledger = ledger
        self._calm = threading.Event()

    async def run(self, seconds: float) -> None:
        ends_at = time.monotonic() + seconds
        around = asyncio.create_task(self._around())
        try:
            await asyncio.gather(*(self._disturb(process, ends_at) for process in self._processes))
        finally:
            around.cancel()
            await asyncio.gather(around, return_exceptions=True)
            self._calm.set()

    async def _disturb(self, process: Process, ends_at: float) -> None:
        for fault in self._plan.of_process[process.command.name]:
            if time.monotonic() > ends_at:
                break
            await self._strike(process, fault)
        await self._bring_up(process)

    async def _strike(self, process: Process, fault: Fault) -> None:
        if fault.kind == "kill -9 at start":
            await self._interrupt_start(process, fault)
            return
        await self._bring_up(process)
        await asyncio.sleep(fault.wait)
        self._ledger.count(f"fault: {fault.kind}")
        match fault.kind:
            case "kill -9":
                await process.kill()
            case "SIGTERM":
                await process.terminate()
            case "SIGTERM, kill -9":
                await process.terminate(kill_after=0.2 + fault.lasts / 2)
            case _:
                await process.pause(fault.lasts)
                return
        await asyncio.sleep(fault.lasts)

    async def _interrupt_start(self, process: Process, fault: Fault) -> None:
        if process.is_running:
            await process.kill()
        await process.launch()
        await asyncio.sleep(fault.wait)
        self._ledger.count(f"fault: {fault.kind}")
        await process.kill()

    async def _bring_up(self, process: Process) -> None:
        if not process.is_running:
            await process.start()

    async def _around(self) -> None:
        for fault in self._plan.around:
            await asyncio.sleep(fault.wait)
            self._ledger.count(f"fault: {fault.kind}")
            with self._weather.bad() if fault.kind == "database cut off" else nullcontext():
                await self._be_away(fault)

    async def _be_away(self, fault: Fault) -> None:
        if fault.kind == "database stalls":
            await asyncio.to_thread(self._deployment.database.stall, self._calm, fault.lasts)
            return
        proxy = self._deployment.proxies["redis" if fault.kind == "Redis away" else "database"]
        proxy.away = True
        proxy.cut()
        try:
            await asyncio.sleep(fault.lasts)
        finally:
            proxy.away = False
