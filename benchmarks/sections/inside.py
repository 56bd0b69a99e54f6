"""What a process of its own measures inside of itself."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

from benchmarks.figures import Figure
from benchmarks.machine import Window
from benchmarks.processes import lines_of, process
from benchmarks.stage import Stage


async def inside(stage: Stage) -> AsyncIterator[Figure]:
    window = Window(server=[], model=stage.model_pid)
    log = stage.folder / "bench.log"
    async with process(["-m", "benchmarks.inside"], stage.environment, log, is_heard=True) as child:
        async for line in lines_of(child):
            measure, case, value = json.loads(line)
            window.close()
            yield Figure(measure, case, [value], window.strain)
