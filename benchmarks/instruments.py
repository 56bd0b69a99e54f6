"""`manage.py serve` with instruments: BENCH_QUERIES counts queries by thread, BENCH_PROFILE samples stacks.

Each names a file, which is written anew a few times a second. The profile has the "collapsed" form that flame
graphs are made of: a stack, and the CPU time (µs) of its thread in the samples that found it there. SIGUSR2
begins it anew.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

WRITE_SECONDS = 0.1
SAMPLE_SECONDS = 0.003
SWITCH_SECONDS = 0.001  # else a sample waits until somebody waits, and sees only that


def count_queries(path: Path) -> None:
    from django.db.backends.signals import connection_created

    counts: Counter[str] = Counter()

    def note(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        counts[threading.current_thread().name.partition("_")[0]] += 1
        return execute(sql, params, many, context)

    def watch(connection: Any, **kwargs: Any) -> None:
        if note not in connection.execute_wrappers:
            connection.execute_wrappers.append(note)

    connection_created.connect(watch, weak=False)
    every(WRITE_SECONDS, lambda: replace(path, json.dumps(counts)))


def profile(path: Path) -> None:
    sys.setswitchinterval(SWITCH_SECONDS)
    stacks: Counter[str] = Counter()
    clocks: dict[int, int] = {}

    def sample() -> None:
        names = {thread.ident: thread.name.partition("_")[0] for thread in threading.enumerate()}
        for ident, frame in sys._current_frames().items():  # noqa: SLF001 (there is no other way)
            used = cpu_of(ident, clocks) if ident in names else 0
            if used:
                stacks[stack_of(frame, names[ident])] += used

    def write() -> None:
        replace(path, "".join(f"{stack} {used}\n" for stack, used in stacks.copy().items()))

    signal.signal(signal.SIGUSR2, lambda *_: stacks.clear())
    every(SAMPLE_SECONDS, sample)
    every(1, write)


def cpu_of(ident: int, clocks: dict[int, int]) -> int:
    """What the thread has used since it was asked last."""
    now = time.clock_gettime_ns(time.pthread_getcpuclockid(ident)) // 1000
    before, clocks[ident] = clocks.get(ident, now), now
    return now - before


def stack_of(frame: FrameType | None, thread: str) -> str:
    parts: list[str] = []
    while frame is not None:
        parts.append(place_of(frame))
        frame = frame.f_back
    return ";".join([thread, *reversed(parts)])


def place_of(frame: FrameType) -> str:
    path = Path(frame.f_code.co_filename)
    return f"{path.parent.name}/{path.stem}:{frame.f_code.co_qualname}"


def every(seconds: float, act: Callable[[], None]) -> None:
    def go_on() -> None:
        while True:
            time.sleep(seconds)
            act()

    threading.Thread(target=go_on, daemon=True, name="instruments").start()


def replace(path: Path, text: str) -> None:
    draft = path.with_suffix(".new")
    draft.write_text(text)
    draft.replace(path)


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "chatapp.settings")
    from django.core.management import execute_from_command_line

    if path := os.environ.get("BENCH_QUERIES"):
        count_queries(Path(path))
    if path := os.environ.get("BENCH_PROFILE"):
        profile(Path(path))
    execute_from_command_line(["manage.py", "serve"])


if __name__ == "__main__":
    main()
