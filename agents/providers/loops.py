"""What belongs to an event loop, such as open connections: made on first use in it, closed with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(slots=True)
class _Held(Generic[T]):
    making: asyncio.Lock = field(default_factory=asyncio.Lock)
    keeper: AsyncGenerator[T] | None = None
    value: T | None = None


class PerLoop(Generic[T]):
    """One value per event loop, entered when it is made, left when its loop ends.

    Each lives inside an async generator: asyncio.run closes the generators that are still open at its end, as
    does everybody who ends a loop in its way. So nobody has to think of closing it. (They are closed all at once,
    and a context manager that is itself made of a generator would be closed twice.)
    """

    def __init__(self, make: Callable[[], Awaitable[AbstractAsyncContextManager[T]]]) -> None:
        self._make = make
        self._held: dict[asyncio.AbstractEventLoop, _Held[T]] = {}

    async def get(self) -> T:
        """That of the running loop. What `make` raises is raised, and the next `get` tries again."""
        loop = asyncio.get_running_loop()
        if (held := self._held.get(loop)) is None:
            self._forget_closed_loops()
            held = self._held[loop] = _Held()
        if held.value is None:
            async with held.making:
                if held.value is None:
                    held.keeper = self._keep()
                    held.value = await anext(held.keeper)
        return held.value

    async def close(self) -> None:
        """Closes that of the running loop; the next `get` makes another."""
        held = self._held.pop(asyncio.get_running_loop(), None)
        if held is not None and held.keeper is not None:
            await held.keeper.aclose()

    def _forget_closed_loops(self) -> None:
        for loop in list(self._held):  # a copy: loops of other threads come and go
            if loop.is_closed():
                self._held.pop(loop, None)

    async def _keep(self) -> AsyncGenerator[T]:
        async with await self._make() as value:
            while True:
                yield value
