"""A model server that streams tokens, each of which is the time at which it left."""

import asyncio
import json
import time
from typing import Any

from aiohttp import web

TOKENS_A_SECOND = 40


class ClockModel:
    """`async with ClockModel(tokens=400) as model:` serves chat completions at `model.url`."""

    def __init__(self, *, tokens: int) -> None:
        self.tokens = tokens
        self.url = ""

    async def __aenter__(self) -> "ClockModel":
        application = web.Application()
        application.router.add_post("/v1/chat/completions", self.answer)
        self._runner = web.AppRunner(application, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        port = self._runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{port}/v1"
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._runner.cleanup()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for number in range(self.tokens):
            line_end = "\n\n" if number % 40 == 39 else " "
            await response.write(chunk({"content": f"{time.monotonic_ns()}{line_end}"}))
            await asyncio.sleep(1 / TOKENS_A_SECOND)
        await response.write(chunk({}, finish_reason="stop"))
        await response.write(b"data: [DONE]\n\n")
        return response


def chunk(delta: dict[str, Any], finish_reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    event = {"id": "bench", "object": "chat.completion.chunk", "model": "clock", "choices": [choice]}
    return f"data: {json.dumps(event)}\n\n".encode()
