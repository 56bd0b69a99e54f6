"""Pages over HTTP: long threads, and a long list of chats."""

from __future__ import annotations

import statistics
import time
from collections.abc import AsyncIterator

from benchmarks.connection import Http
from benchmarks.figures import Figure
from benchmarks.goals import LIST, OPEN, SIZE
from benchmarks.stage import Server, Stage
from benchmarks.world import Seat

TIMES = 20


async def pages(stage: Stage) -> AsyncIterator[Figure]:
    server = await stage.server()
    for entries in (10, 1_000, 5_000, 10_000):
        seat, case = stage.world.long[entries], f"{entries:,} entries"
        with stage.window(server) as window:
            measured = [
                await get_often(server, seat, f"/threads/{seat.thread}/") for _ in range(stage.repeat)
            ]
        yield Figure(OPEN, case, [taken for taken, _ in measured], window.strain)
        yield Figure(SIZE, case, [size for _, size in measured], window.strain, "KB")
    for threads, seat in stage.world.lists.items():
        with stage.window(server) as window:
            measured = [await get_often(server, seat, "/sidebar/") for _ in range(stage.repeat)]
        yield Figure(LIST, f"{threads:,} threads", [taken for taken, _ in measured], window.strain)


async def get_often(server: Server, seat: Seat, path: str) -> tuple[float, float]:
    """Median ms, and KB without compression. The first one is left out: it renders what is kept then."""
    http = Http(server.address, seat.cookie)
    reply = await http.get(path)
    assert reply.status == 200, reply
    taken = []
    for _ in range(TIMES):
        began = time.perf_counter()
        await http.get(path)
        taken.append((time.perf_counter() - began) * 1000)
    http.close()
    return statistics.median(taken), len(reply.body) / 1024
