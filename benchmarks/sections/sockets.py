"""Many sockets: 200 on which nothing goes on, and 20 tabs that show the same live thread."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.connection import Socket
from benchmarks.figures import Figure
from benchmarks.goals import CHUNK, CONNECTIONS, CPU, MEMORY, READS, TROUBLE
from benchmarks.person import Answer, Person, read
from benchmarks.stage import WITH_INSTRUMENTS, Server, Stage
from benchmarks.timing import percentile

SOCKETS = 200
FEW = 20
TABS = 20
TOKENS = 200


async def idle_sockets(stage: Stage) -> AsyncIterator[Figure]:
    """Memory, database connections and CPU of heartbeats, in a server that has nothing else to do."""
    async with stage.serving() as server, open_sockets(stage, server, FEW):
        await asyncio.sleep(1)
        memory = machine.memory(server.pid)
        async with open_sockets(stage, server, SOCKETS):
            await asyncio.sleep(stage.rest)
            connections = stage.place.connections(server.pid)
            with stage.window(server) as window:
                await asyncio.sleep(stage.rest)
            more = stage.place.connections(server.pid) - connections
            grown = machine.memory(server.pid) - memory
    case, per_hundred = f"{SOCKETS} idle sockets", 100 / SOCKETS
    yield Figure(MEMORY, "", [grown / 2**20 * per_hundred], window.strain, "MiB")
    yield Figure(CONNECTIONS, case, [float(more)], window.strain, "")
    yield Figure("database connections", case, [float(connections)], window.strain, "")
    cpu = window.cpu["server"] / window.seconds * 100 * per_hundred
    yield Figure("CPU per 100 idle sockets", "", [cpu], window.strain, "%")


@asynccontextmanager
async def open_sockets(stage: Stage, server: Server, count: int) -> AsyncIterator[None]:
    seats = [stage.world.people[number % len(stage.world.people)] for number in range(count)]
    sockets = [
        await Socket.open(server.address, f"/ws/threads/{seat.thread}/", seat.cookie) for seat in seats
    ]
    yield
    assert not any(one.is_lost for one in sockets), "an idle socket was closed"
    for one in sockets:
        one.close()


async def tabs(stage: Stage) -> AsyncIterator[Figure]:
    """One run, 20 readers: the database is read for a reader, not for a frame."""
    count = stage.folder / "queries.json"
    async with (
        stage.serving(WITH_INSTRUMENTS, extra={"BENCH_QUERIES": str(count)}) as server,
        stage.people(server, 1) as (person,),
    ):
        others = [await other_tab(person) for _ in range(TABS - 1)]
        await asyncio.sleep(0.5)
        before = queries_in(count)
        with stage.window(server) as window:
            answers = [await person.ask(tokens=TOKENS, rate=40)]
            await asyncio.sleep(0.2)
        after = queries_in(count)
        answers += [shown_in(other, person) for other in others]
        for other in others:
            other.close()
        trouble = await stage.trouble_with(answers)
    delays = [delay for answer in answers for delay in answer.delays]
    reads = after.get("sockets", 0) - before.get("sockets", 0)
    case, strain = f"{TABS} tabs", window.strain
    yield Figure(CHUNK, case, [percentile(delays, 95)], strain)
    yield Figure(TROUBLE, case, [float(len(trouble))], strain, "")
    yield Figure(CPU, case, [window.cpu["server"] * 1000 / TOKENS], strain, "s")
    yield Figure(READS, case, [reads / window.seconds / TABS], strain, "")
    yield Figure("queries of a send", "", [float(after.get("web", 0) - before.get("web", 0))], strain, "")
    writes = after.get("run-writer", 0) - before.get("run-writer", 0)
    yield Figure("queries of its run per second", "", [writes / window.seconds], strain, "")


async def other_tab(person: Person) -> Socket:
    return await Socket.open(person.address, f"/ws/threads/{person.thread}/", person.cookie)


def shown_in(tab: Socket, person: Person) -> Answer:
    return read(person.key, [(at, json.loads(content)) for at, content in tab.frames], person.began)


def queries_in(path: Path) -> dict[str, Any]:
    """By the names of the server's threads. It writes them a few times a second."""
    data: dict[str, Any] = json.loads(path.read_text())
    return data
