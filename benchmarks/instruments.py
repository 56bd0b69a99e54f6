"""`manage.py serve` with instruments: BENCH_QUERIES counts queries by thread, BENCH_PROFILE samples stacks.

Each names a file, which is written anew a few times a second. The profile has the "collapsed" form that flame
graphs are made of: what was on the stack, and how many samples found it there. Samples of threads that wait
are left out.
"""

from __future__ import annotations

import json
import os
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
WAITING = {
    ("threading.py", "wait"),
    ("selectors.py", "select"),
    ("thread.py", "_worker"),
    ("queue.py", "get"),
    ("instruments.py", "sample"),
}


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
    stacks: Counter[str] = Counter()
    names: dict[int, str] = {}

    def sample() -> None:
        for ident, frame in sys._current_frames().items():  # noqa: SLF001 (there is no other way)
            if not waits(frame):
                stacks[stack_of(frame, name_of(ident, names))] += 1

    def write() -> None:
        replace(path, "".join(f"{stack} {count}\n" for stack, count in stacks.copy().items()))

    every(SAMPLE_SECONDS, sample)
    every(1, write)


def waits(frame: FrameType) -> bool:
    code = frame.f_code
    return (Path(code.co_filename).name, code.co_name) in WAITING


def name_of(ident: int, names: dict[int, str]) -> str:
    if ident not in names:
        names.update({thread.ident or 0: thread.name for thread in threading.enumerate()})
    return names.get(ident, "?").partition("_")[0]


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
