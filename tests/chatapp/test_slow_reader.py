"""A socket whose client does not read: it waits alone, within bounds, and in the end has every frame once."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from chatapp.asgi import application
from chatapp.eventlog import hub, publish, reading, record
from tests.chatapp.conftest import ask
from tests.chatapp.watching import in_thread, watching

FRAMES = 40


class StuckClient:
    """The server's end of a connection whose client reads only when it is told to."""

    def __init__(self) -> None:
        self.frames: list[dict[str, Any]] = []
        self.reads = asyncio.Event()
        self._coming: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._coming.put_nowait({"type": "websocket.connect"})

    async def receive(self) -> dict[str, Any]:
        return await self._coming.get()

    async def send(self, message: dict[str, Any]) -> None:
        await self.reads.wait()
        if message["type"] == "websocket.send":
            self.frames.append(json.loads(message["text"]))

    def leave(self) -> None:
        self._coming.put_nowait({"type": "websocket.disconnect", "code": 1000})

    async def until(self, condition: Callable[[], object]) -> None:
        async with asyncio.timeout(5):
            while not condition():  # noqa: ASYNC110
                await asyncio.sleep(0.01)


@asynccontextmanager
async def stuck(client, thread, query: str = "") -> AsyncIterator[StuckClient]:
    """Connected and greeted, and then not reading any more."""
    cookie = client.cookies.output(header="", sep=";").encode()
    headers = [(b"host", b"testserver"), (b"cookie", cookie)]
    path = f"/ws/threads/{thread.id}/"
    scope = {"type": "websocket", "path": path, "query_string": query.encode(), "headers": headers}
    reader = StuckClient()
    reader.reads.set()
    task = asyncio.create_task(application(scope, reader.receive, reader.send))
    await reader.until(lambda: reader.frames)
    reader.reads.clear()
    try:
        yield reader
    finally:
        reader.reads.set()
        reader.leave()
        await asyncio.wait_for(task, 5)


@pytest.fixture
def run(add_flight) -> str:
    return str(add_flight(ask("Go"), live=True))


def seqs(frames: list[dict[str, Any]]) -> list[int]:
    return [frame["seq"] for frame in frames if frame["type"] == "text_delta"]


async def say(thread, run: str, count: int) -> None:
    """So many frames, written and published as by another process, one by one."""
    for n in range(count):
        frame = {"type": "text_delta", "index": 1, "text": f"{n} "}
        publish(thread.id, run, await in_thread(record, thread.id, run, [frame], stored=1))
        await asyncio.sleep(0)


async def test_it_keeps_nobody_waiting_and_gets_everything(client, script, thread, run):
    async with stuck(client, thread) as slow, watching(client, thread.id) as fast:
        await fast.frame()
        await say(thread, run, FRAMES)
        assert [(await fast.frame(within=1))["seq"] for _ in range(FRAMES)] == list(range(2, FRAMES + 2))
        assert seqs(slow.frames) == []
        slow.reads.set()
        await slow.until(lambda: len(seqs(slow.frames)) == FRAMES)
        assert seqs(slow.frames) == list(range(2, FRAMES + 2))


async def test_further_behind_than_its_queue_it_reads_the_rest_from_the_log(
    client, script, thread, run, monkeypatch
):
    monkeypatch.setattr(reading, "PIECE", 7)
    async with stuck(client, thread) as slow:
        (subscription,) = hub._topics[f"thread:{thread.id}"]
        subscription._limit = 5
        await say(thread, run, FRAMES)
        assert len(subscription._queue) <= 5
        slow.reads.set()
        await slow.until(lambda: len(seqs(slow.frames)) >= FRAMES)
        await say(thread, run, 3)
        await slow.until(lambda: len(seqs(slow.frames)) >= FRAMES + 3)
    assert seqs(slow.frames) == list(range(2, FRAMES + 5))


async def test_who_comes_back_after_long_gets_the_rest_in_pieces(client, script, thread, run, monkeypatch):
    monkeypatch.setattr(reading, "PIECE", 7)
    await say(thread, run, FRAMES)
    async with watching(client, thread.id, run=run, after=1) as watcher:
        assert (await watcher.frame())["resumed"] is True
        assert [(await watcher.frame())["seq"] for _ in range(FRAMES)] == list(range(2, FRAMES + 2))
        assert await watcher.is_silent()
