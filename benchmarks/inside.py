"""What costs what in a process. `python -m benchmarks.inside` measures it: one line of JSON a figure.

A step that is saved must cost the same however long its run is; a request must cost one hop, not one a
middleware.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import time
import uuid
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from benchmarks.world import client_of, make_user, set_up

REQUESTS = 200
SAVES = 100
Told = tuple[str, str, float]


def measured() -> Iterator[Told]:
    yield from step_saves()
    yield from handlers()


def step_saves() -> Iterator[Told]:
    """One more step of a run that has stored this many entries already."""
    from agents.checkpoint import RunHead
    from agents.stores.orm import checkpoints
    from agents.transcript import AssistantTextEntry, Entry, InputEntry

    for stored in (10, 10_000):
        run_id, head = str(uuid.uuid4()), RunHead(agent_name="bench")
        entries: list[Entry] = [InputEntry(role="user", content="go")]
        entries += [AssistantTextEntry(content=f"step {number}") for number in range(stored - 1)]
        fence = checkpoints.start(run_id, f"bench-{run_id}", entries, head, owner="bench")
        step = [AssistantTextEntry(content="one more step")]
        save = partial(checkpoints.append, run_id, fence, step, head)
        yield "a step is saved", f"run of {stored:,} entries", median_ms(save, SAVES)


def median_ms(work: Callable[[], object], times: int) -> float:
    work()
    return statistics.median(timed(work) for _ in range(times)) * 1000


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def handlers() -> Iterator[Told]:
    """CPU of a page's request, alone and 20 at once."""
    from django.core.handlers.asgi import ASGIHandler

    from chatapp.handler import OneHopHandler

    cookie = client_of(make_user()).cookies["sessionid"].value
    for name, application in (("Django's handler", ASGIHandler()), ("one hop", OneHopHandler())):
        for at_once in (1, 20):
            cpu = asyncio.run(serve(application, cookie, at_once=at_once))
            yield "CPU of a request", f"{name}, {at_once} at once", cpu


async def serve(application: Any, cookie: str, *, at_once: int) -> float:
    await ask_often(application, cookie, 20)
    cpu = time.process_time()
    await asyncio.gather(*(ask_often(application, cookie, REQUESTS // at_once) for _ in range(at_once)))
    return (time.process_time() - cpu) / REQUESTS * 1000


async def ask_often(application: Any, cookie: str, times: int) -> None:
    for _ in range(times):
        await ask(application, cookie)


async def ask(application: Any, cookie: str) -> None:
    headers = [(b"host", b"localhost"), (b"cookie", f"sessionid={cookie}".encode())]
    scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": headers}
    received: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    received.put_nowait({"type": "http.request", "body": b""})
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await application(scope, received.get, send)
    assert sent[0]["status"] == 200, sent[0]


if __name__ == "__main__":
    set_up()
    for told in measured():
        print(json.dumps(told), flush=True)
