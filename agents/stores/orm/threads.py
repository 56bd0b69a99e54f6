"""The threads in which the async adapters do their database work: four of our own, never asgiref's one."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import ParamSpec, TypeVar

from django.db import close_old_connections, connections

from agents.stores.orm.transactions import as_storage_error

THREADS = 4

_P = ParamSpec("_P")
_T = TypeVar("_T")

_pool = ThreadPoolExecutor(THREADS, thread_name_prefix="agents-orm")


async def in_thread(function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Runs it in a thread. A cancel waits for what has begun, since that commits; what has not is dropped.

    StorageError where the database is away, locked, or out of room.
    """
    work = _pool.submit(_with_connection, partial(function, *args, **kwargs))
    try:
        return await asyncio.shield(asyncio.wrap_future(work))
    except asyncio.CancelledError:
        if not work.cancel():
            await _settled(work)
        raise


def close_connections() -> None:
    """Closes the connections that the threads keep, as before the database is dropped."""
    everybody = threading.Barrier(THREADS)
    for work in [_pool.submit(_close, everybody) for _ in range(THREADS)]:
        work.result()


def _with_connection(call: Callable[[], _T]) -> _T:
    close_old_connections()
    try:
        with as_storage_error():
            return call()
    finally:
        close_old_connections()


def _close(everybody: threading.Barrier) -> None:
    # Each waits for the others, so that no thread takes two of the calls.
    everybody.wait(timeout=10)
    connections.close_all()


async def _settled(work: Future[_T]) -> None:
    """Until it is done, however often the caller is cancelled meanwhile."""
    done = asyncio.Event()
    loop = asyncio.get_running_loop()
    work.add_done_callback(lambda _: loop.call_soon_threadsafe(done.set))
    while not done.is_set():
        with suppress(asyncio.CancelledError):
            await done.wait()
