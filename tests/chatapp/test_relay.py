"""Deliveries between processes, here two hubs on one layer that may be away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from channels.layers import InMemoryChannelLayer

from chatapp.eventlog import Delivery, Hub, Relay, relay

pytestmark = pytest.mark.services

SAID = Delivery.of("r", [{"type": "text_delta", "seq": 1}])


class Layer(InMemoryChannelLayer):  # type: ignore[misc]
    """One that cannot be reached at first."""

    def __init__(self, *, refusals: int = 0) -> None:
        super().__init__()
        self.refusals = refusals

    async def new_channel(self, prefix: str = "specific.") -> str:
        if self.refusals:
            self.refusals -= 1
            raise ConnectionError("away")
        return str(await super().new_channel(prefix))


def relay_on(layer: Any, hub: Hub | None = None) -> Relay:
    carrier = Relay(hub or Hub())
    carrier._layer = layer
    return carrier


@asynccontextmanager
async def related(layer: Any) -> AsyncIterator[Hub]:
    """A hub as another process has it."""
    hub = Hub()
    running = asyncio.create_task(relay_on(layer, hub).run())
    await asyncio.sleep(0)
    yield hub
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


@pytest.mark.parametrize("refusals", [0, 3])
async def test_what_is_said_here_is_heard_there_even_if_the_layer_was_away_at_the_start(
    monkeypatch: pytest.MonkeyPatch, refusals: int
) -> None:
    monkeypatch.setattr(relay, "PAUSE_SECONDS", 0.01)
    layer = Layer(refusals=refusals)
    async with related(layer) as here, related(layer) as there:
        news = there.subscribe("thread:1")
        await news.ready()
        await asyncio.sleep(0.2)
        here.deliver("thread:1", SAID)
        assert await asyncio.wait_for(news.get(), 5) == SAID


async def test_what_is_said_in_one_moment_goes_as_one_message() -> None:
    layer = Layer()
    sent: list[Any] = []
    send, layer.group_send = layer.group_send, lambda group, message: _noted(sent, send, group, message)
    async with related(layer) as here, related(layer) as there:
        news = there.subscribe("thread:7")
        await news.ready()
        for number in range(50):
            here.deliver(f"thread:{number}", SAID)
        assert await asyncio.wait_for(news.get(), 5) == SAID
    assert [len(message["mail"]) for message in sent] == [50]


async def _noted(sent: list[Any], send: Any, group: str, message: Any) -> None:
    sent.append(message)
    await send(group, message)


class SwallowsAtReceiving(Layer):
    """Its client takes a cancellation for trouble with the connection, as clients do while they connect."""

    async def receive(self, channel: str) -> Any:
        try:
            return await super().receive(channel)
        except asyncio.CancelledError as error:
            raise ConnectionError("cancelled") from error


class SwallowsAtOpening(Layer):
    """Its client connects all the same."""

    async def new_channel(self, prefix: str = "specific.") -> str:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(10)
        return await super().new_channel(prefix)


@pytest.mark.parametrize("layer", [SwallowsAtReceiving, SwallowsAtOpening])
async def test_it_ends_even_if_the_layer_swallows_the_cancellation(layer: type[Layer]) -> None:
    running = asyncio.create_task(relay_on(layer()).run())
    await asyncio.sleep(0.01)
    running.cancel()
    await asyncio.wait({running}, timeout=2)
    assert running.cancelled()


async def test_no_message_grows_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay, "MESSAGE_CHARACTERS", 150)
    carrier = Relay(Hub())
    large = Delivery.of("r", [{"type": "text_delta", "seq": 1, "text": "x" * 70}])
    for _ in range(4):
        carrier.send("thread:1", large)
    carrier.send("thread:1", SAID)
    assert [len(carrier._next_mail()) for _ in range(3)] == [2, 2, 1]
