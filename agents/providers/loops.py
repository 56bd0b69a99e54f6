"""What belongs to an event loop, such as open connections: made on first use in it, closed with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Generic, TypeVar

T = TypeVar("T")


class PerLoop(Generic[T]):
    """One value per event loop.

    Each lives inside an async generator: asyncio.run closes the generators that are still open at its end, as
    does everybody who ends a loop in its way. So nobody has to think of closing, and nothing outlives its loop.
    """

    def __init__(self, make: Callable[[], AbstractAsyncContextManager[T]]) -> None:
        self._make = make
        self._held: dict[asyncio.AbstractEventLoop, tuple[T, AsyncGenerator[T]]] = {}

    async def get(self) -> T:
        loop = asyncio.get_running_loop()
        if loop not in self._held:
            self._held = {held: value for held, value in self._held.items() if not held.is_closed()}
            keeper = self._keep()
            value = await anext(keeper)
            if loop in self._held:  # somebody was faster
                await keeper.aclose()
            else:
                self._held[loop] = value, keeper
        return self._held[loop][0]

    async def close(self) -> None:
        """Closes that of the running loop; the next `get` makes another."""
        held = self._held.pop(asyncio.get_running_loop(), None)
        if held is not None:
            await held[1].aclose()

    async def _keep(self) -> AsyncGenerator[T]:
        async with self._make() as value:
            while True:
                yield value
