"""Plays one turn to one client: at its pace, with its failures, and with a record of what really went out."""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from aiohttp import web

from tests.fakes.record import Recorded
from tests.fakes.steps import (
    Call,
    Cut,
    Dialect,
    Hang,
    Raw,
    Reasoning,
    Stamps,
    Step,
    StreamError,
    Text,
    Turn,
)
from tests.fakes.wire import Wire


@dataclass(slots=True)
class Player:
    """One answer. The response's headers go out with the first byte of content, not before."""

    request: web.Request
    record: Recorded
    wire: Wire
    dialect: Dialect
    response: web.StreamResponse = field(default_factory=web.StreamResponse)

    async def play(self, turn: Turn) -> web.StreamResponse:
        for step in turn:
            if isinstance(step, Cut | StreamError):
                await self._break_off(step)
                return self.response
            await self._go_on(step)
        asked = (self.record.body.get("stream_options") or {}).get("include_usage") is True
        for chunk in self.wire.finish(turn, tokens=self.record.tokens, include_usage=asked):
            await self._write(chunk)
        await self.response.write_eof()
        return self.response

    async def _go_on(self, step: Step) -> None:
        match step:
            case Text(pieces, rate):
                async for at in _paced(len(pieces), rate):
                    await self._token(pieces[at])
            case Stamps(count, rate):
                async for at in _paced(count, rate):
                    await self._token(f"{' ' if at else ''}{time.time() * 1000:.1f}")
            case Reasoning(pieces, rate):
                await self._chunks([self.wire.reasoning(piece) for piece in pieces], rate)
            case Call():
                await self._chunks(list(self.wire.call(step)), step.rate)
            case Raw(data):
                await self._write(data)
            case Hang():
                await asyncio.sleep(step.delay)

    async def _break_off(self, step: Cut | StreamError) -> None:
        if isinstance(step, StreamError):
            await self._write(self.wire.error(step))
        elif not self.response.prepared:
            await self._open()
        if isinstance(step, Cut) and step.drop and self.request.transport is not None:
            self.request.transport.abort()
        else:
            await self.response.write_eof()

    async def _chunks(self, chunks: list[bytes], rate: float | None) -> None:
        async for at in _paced(len(chunks), rate):
            await self._write(chunks[at])

    async def _token(self, piece: str) -> None:
        await self._write(self.wire.text(piece))
        self.record.sent(piece)

    async def _write(self, data: bytes) -> None:
        if not self.response.prepared:
            await self._open()
        for part in self._torn(data):
            await self.response.write(part)

    async def _open(self) -> None:
        self.record.status = 200
        self.response.headers["x-request-id"] = f"req_{self.record.number}"
        self.response.content_type = "text/event-stream"
        await self.response.prepare(self.request)
        await self.response.write(self.wire.role())

    def _torn(self, data: bytes) -> list[bytes]:
        size = self.dialect.chop or len(data)
        return [data[at : at + size] for at in range(0, len(data), size)]


async def _paced(count: int, rate: float | None) -> AsyncIterator[int]:
    """Numbers 0 … count-1 at `rate` a second, on a schedule; without one the loop still gets its turns."""
    loop = asyncio.get_running_loop()
    start = loop.time()
    for at in range(count):
        yield at
        if rate is None:
            if at % 16 == 15:
                await asyncio.sleep(0)
        elif (delay := start + (at + 1) / rate - loop.time()) > 0:
            await asyncio.sleep(delay)
