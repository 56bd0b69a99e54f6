"""Short runs: how many a second, and how soon one begins to answer when nothing else goes on."""

from __future__ import annotations

import asyncio
import itertools
import statistics
import time
from collections.abc import AsyncIterator

from benchmarks.figures import Figure
from benchmarks.goals import IDLE, SHORT
from benchmarks.machine import Window
from benchmarks.person import Person
from benchmarks.sections.streaming import worst
from benchmarks.stage import Server, Stage

AT_ONCE = 16
SECONDS = 5.0
TOKENS = 20
SENDS = 15
PAUSE = 0.1
SETTLED = 2.0


async def short_runs(stage: Stage) -> AsyncIterator[Figure]:
    server = await stage.server()
    for case, tool in (("no tool", False), ("one tool", True)):
        measured = [await run_often(stage, server, tool=tool) for _ in range(stage.repeat)]
        strain = worst([window for _, window in measured])
        yield Figure(SHORT, case, [runs / window.seconds for runs, window in measured], strain, "/s")
        cpu = [window.cpu["server"] * 1000 / runs for runs, window in measured]
        yield Figure("CPU of a short run", case, cpu, strain)


async def run_often(stage: Stage, server: Server, *, tool: bool) -> tuple[int, Window]:
    """How many runs came to a good end."""
    async with stage.people(server, AT_ONCE) as people:
        with stage.window(server) as window:
            ends_at = time.monotonic() + SECONDS
            counts = await asyncio.gather(*(ask_until(person, ends_at, tool=tool) for person in people))
    return sum(counts), window


async def ask_until(person: Person, ends_at: float, *, tool: bool) -> int:
    for count in itertools.count():
        if time.monotonic() >= ends_at:
            return count
        answer = await person.ask(tokens=TOKENS, tool=tool)
        if answer.trouble or len(answer.delays) != TOKENS:
            raise RuntimeError(answer.trouble or f"{len(answer.delays)} tokens of {TOKENS}")
    raise AssertionError


async def idle(stage: Stage) -> AsyncIterator[Figure]:
    """One message after the other: to the first token, and to the model."""
    server = await stage.server()
    first, asked = [], []
    with stage.window(server) as window:
        for _ in range(stage.repeat):
            to_first, to_model = await send_one_by_one(stage, server)
            first.append(to_first)
            asked.append(to_model)
    yield Figure(IDLE, "", first, window.strain)
    yield Figure("send → model is asked, idle", "", asked, window.strain)
    yield await very_first(stage)


async def very_first(stage: Stage) -> Figure:
    """The first message of a process: nobody waits for what is loaded when it is needed first."""
    async with stage.serving(is_warm=False) as server, stage.people(server, 1) as (person,):
        await asyncio.sleep(SETTLED)
        with stage.window(server) as window:
            answer = await person.ask(tokens=TOKENS)
    return Figure("send → first token, the very first", "", [answer.first], window.strain)


async def send_one_by_one(stage: Stage, server: Server) -> tuple[float, float]:
    firsts, asked = [], []
    async with stage.people(server, 1) as (person,):
        for _ in range(SENDS):
            await asyncio.sleep(PAUSE)
            answer = await person.ask(tokens=TOKENS)
            firsts.append(answer.first)
            told = await stage.told(answer.key)
            asked.append((told["asked"] - person.began) / 1e6)
    return statistics.median(firsts), statistics.median(asked)
