"""What a request costs behind Django's own ASGI handler, and behind ours."""

import asyncio
import time
from collections.abc import Iterator
from typing import Any

from django.core.handlers.asgi import ASGIHandler

from benchmarks.table import Row
from benchmarks.world import client_of, make_user
from chatapp.handler import OneHopHandler

REQUESTS = 400


def handler() -> Iterator[Row]:
    cookie = client_of(make_user()).cookies["sessionid"].value
    for name, application in (("Django's", ASGIHandler()), ("one hop", OneHopHandler())):
        for at_once in (1, 20):
            values = asyncio.run(serve(application, cookie, at_once=at_once))
            yield Row("handler", f"{name}, {at_once} at once", values)


async def serve(application: Any, cookie: str, *, at_once: int) -> dict[str, float]:
    await ask_often(application, cookie, 20)
    start, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(ask_often(application, cookie, REQUESTS // at_once) for _ in range(at_once)))
    return {
        "ms per request": (time.perf_counter() - start) / REQUESTS * 1000,
        "CPU ms per request": (time.process_time() - cpu) / REQUESTS * 1000,
    }


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
