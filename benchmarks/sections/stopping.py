"""Stop in the middle of an answer: until the connection to the model is closed."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import AsyncIterator

from benchmarks.figures import Figure
from benchmarks.goals import STOP
from benchmarks.person import Person
from benchmarks.stage import Stage

STOPS = 5


async def stop(stage: Stage) -> AsyncIterator[Figure]:
    server = await stage.server()
    closed, answered = [], []
    async with stage.people(server, 1) as (person,):
        with stage.window(server) as window:
            for _ in range(stage.repeat):
                taken = [await stop_one(stage, person) for _ in range(STOPS)]
                closed.append(statistics.median(to_close for to_close, _ in taken))
                answered.append(statistics.median(to_answer for _, to_answer in taken))
    yield Figure(STOP, "", closed, window.strain)
    yield Figure("Stop → answered, all is stored", "", answered, window.strain)


async def stop_one(stage: Stage, person: Person) -> tuple[float, float]:
    await person.send(tokens=400, rate=40)
    await asyncio.sleep(0.5)
    began = time.monotonic_ns()
    reply = await person.command("stop", {})
    assert reply.status == 200, reply
    answered = time.monotonic_ns()
    await person.end()
    left = (await stage.told(person.key))["left"]
    assert left, "the connection to the model is still open"
    return (left - began) / 1e6, (answered - began) / 1e6
