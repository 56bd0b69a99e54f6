"""Processes of the bench: started, read, ended."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from benchmarks.connection import Address, Http

ROOT = Path(__file__).resolve().parents[1]
START_SECONDS = 60
END_SECONDS = 30


@asynccontextmanager
async def process(
    arguments: Sequence[str], environment: Mapping[str, str], log: Path, *, is_heard: bool = False
) -> AsyncIterator[subprocess.Popen[str]]:
    """Python with these arguments; it ends with the block. `is_heard`: what it prints is read here."""
    with log.open("a") as file:
        child = subprocess.Popen(  # noqa: ASYNC220 (a few ms, before anything is measured)
            [sys.executable, *arguments],
            cwd=ROOT,
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE if is_heard else file,
            stderr=file,
            text=True,
        )
    try:
        yield child
    finally:
        child.terminate()
        await asyncio.to_thread(end, child)


def end(child: subprocess.Popen[str]) -> None:
    with suppress(subprocess.TimeoutExpired):
        child.wait(END_SECONDS)
    child.kill()
    child.communicate()


async def line_of(child: subprocess.Popen[str]) -> str:
    """The next line that it prints."""
    async for line in lines_of(child):
        return line
    raise RuntimeError("a process ended before it was ready")


async def lines_of(child: subprocess.Popen[str]) -> AsyncIterator[str]:
    """What it prints, until it ends."""
    assert child.stdout is not None
    while line := await asyncio.to_thread(child.stdout.readline):
        yield line.strip()


async def until_alive(address: Address) -> None:
    for _ in range(START_SECONDS * 20):
        with suppress(OSError, asyncio.IncompleteReadError):
            http = Http(address)
            answer = await http.get("/livez")
            http.close()
            if answer.status == 200:
                return
        await asyncio.sleep(0.05)
    raise TimeoutError("the server did not start")


def free_address() -> Address:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return Address("127.0.0.1", int(probe.getsockname()[1]))
