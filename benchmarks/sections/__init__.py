"""What is measured, section by section. Each takes a stage and yields figures."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

from benchmarks.figures import Figure
from benchmarks.sections import inside, pages, runs, sockets, stopping, storage, streaming
from benchmarks.stage import Stage

Section = Callable[[Stage], AsyncIterator[Figure]]

SECTIONS: dict[str, Section] = {
    "raw": streaming.raw,
    "streaming": streaming.streaming,
    "runs": runs.short_runs,
    "idle": runs.idle,
    "stop": stopping.stop,
    "pages": pages.pages,
    "written": storage.written,
    "tabs": sockets.tabs,
    "sockets": sockets.idle_sockets,
    "inside": inside.inside,
}
