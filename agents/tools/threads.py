"""Runs the tools that are plain functions, each in a thread of its own: one that hangs holds up nobody, nor
the exit."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_at_end: list[Callable[[], None]] = []


def at_thread_end(callback: Callable[[], None]) -> None:
    """Call it at the end of every such thread, as to close the thread's database connection. Once per
    callback."""
    if callback not in _at_end:
        _at_end.append(callback)


async def run_in_thread(function: Callable[[], T]) -> T:
    """Its result or exception. A cancel leaves the thread running, and nobody listens to it any more."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def work() -> None:
        try:
            result = context.run(function)
        except BaseException as error:  # noqa: BLE001 - whatever it is, the caller gets it
            _deliver(loop, future, future.set_exception, _storable(error))
        else:
            _deliver(loop, future, future.set_result, result)
        finally:
            for callback in _at_end:
                callback()

    threading.Thread(target=work, name="tool", daemon=True).start()
    return await future


def _storable(error: BaseException) -> BaseException:
    """A future refuses StopIteration, and would be waited for in vain."""
    return RuntimeError(f"{type(error).__name__} raised") if isinstance(error, StopIteration) else error


def _deliver(
    loop: asyncio.AbstractEventLoop,
    future: asyncio.Future[T],
    setter: Callable[[T], None] | Callable[[BaseException], None],
    value: T | BaseException,
) -> None:
    def deliver() -> None:
        if not future.done():
            setter(value)  # type: ignore[arg-type]

    try:
        loop.call_soon_threadsafe(deliver)
    except RuntimeError:
        return  # the loop is gone, and with it whoever waited
