"""What belongs to an event loop, such as open connections: made on first use in it, closed with it."""

from __future__ import annotations

import asyncio
import atexit
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from weakref import WeakSet

T = TypeVar("T")
EXIT_TIMEOUT = 1.0
_everything: WeakSet[PerLoop[Any]] = WeakSet()


@dataclass(slots=True)
class _Held(Generic[T]):
    making: asyncio.Lock = field(default_factory=asyncio.Lock)
    keeper: AsyncGenerator[T] | None = None
    value: T | None = None


class PerLoop(Generic[T]):
    """One value per event loop, entered when it is made, left when its loop ends.

    Each lives inside an async generator: asyncio.run closes the generators that are still open at its end
    (all at once; a context manager made of a generator would be closed twice, so it has to be a class). Loops
    that nobody ends so, such as a reactor's or a background thread's, give up theirs when the process exits.
    """

    def __init__(self, make: Callable[[], Awaitable[AbstractAsyncContextManager[T]]]) -> None:
        self._make = make
        self._held: dict[asyncio.AbstractEventLoop, _Held[T]] = {}
        _everything.add(self)

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

    def close_everywhere(self) -> None:
        """For the end of the process, when no coroutine can be awaited any more."""
        for loop, held in list(self._held.items()):
            if held.keeper is None or loop.is_closed():
                continue
            closing = asyncio.wait_for(held.keeper.aclose(), EXIT_TIMEOUT)
            with suppress(TimeoutError, RuntimeError):
                if loop.is_running():
                    asyncio.run_coroutine_threadsafe(closing, loop).result(EXIT_TIMEOUT)
                else:
                    loop.run_until_complete(closing)

    def _forget_closed_loops(self) -> None:
        for loop in list(self._held):  # a copy: loops of other threads come and go
            if loop.is_closed():
                self._held.pop(loop, None)

    async def _keep(self) -> AsyncGenerator[T]:
        async with await self._make() as value:
            while True:
                yield value


@atexit.register
def _close_at_exit() -> None:
    for values in list(_everything):
        values.close_everywhere()
