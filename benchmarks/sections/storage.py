"""What the database writes for one answer, in a short thread and in a long one."""

from __future__ import annotations

from collections.abc import AsyncIterator

from benchmarks.figures import Figure
from benchmarks.goals import WRITTEN
from benchmarks.machine import Window
from benchmarks.sections.streaming import worst
from benchmarks.stage import Server, Stage, person_at

TOKENS = 240
RATE = 40
MEGABYTE = 1e6


async def written(stage: Stage) -> AsyncIterator[Figure]:
    server = await stage.server()
    for entries in (10, 2_000):
        measured = [await write_one(stage, server, entries) for _ in range(stage.repeat)]
        strain = worst([window for _, window in measured])
        sizes = [size * 1000 / TOKENS / MEGABYTE for size, _ in measured]
        yield Figure(WRITTEN, f"thread of {entries:,} entries", sizes, strain, "MB")


async def write_one(stage: Stage, server: Server, entries: int) -> tuple[int, Window]:
    """The bytes of one run, from the command to its end."""
    person = person_at(stage.world.long[entries], server)
    await person.sit_down()
    await person.ask(tokens=1)
    written_since = stage.place.count_written(server.pid)
    with stage.window(server) as window:
        answer = await person.ask(tokens=TOKENS, rate=RATE)
    size = written_since()
    person.leave()
    assert not answer.trouble, answer.trouble
    return size, window
