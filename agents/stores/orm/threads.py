"""Threads that do the database work of event loops: pools of our own, never asgiref's one thread.

Each thread keeps its connection while there is much to do: to borrow one for each piece of work, with a look
whether it lives, costs as much as a small transaction.
"""

from __future__ import annotations

import asyncio
import math
import select
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, ParamSpec, TypeVar

from django.db import close_old_connections, connection, connections

from agents.stores.orm.transactions import as_storage_error

THREADS = 4
KEPT_SECONDS = 5.0

_P = ParamSpec("_P")
_T = TypeVar("_T")


class DatabaseThreads:
    """A pool of threads with a connection each."""

    def __init__(self, name: str, count: int = THREADS) -> None:
        self._count = count
        self._pool = ThreadPoolExecutor(count, thread_name_prefix=name)
        _pools.append(self)

    def submit(self, call: Callable[[], _T]) -> Future[_T]:
        return self._pool.submit(_on_own_connection, call)

    async def run(self, call: Callable[[], _T]) -> _T:
        """Not to be cancelled: what has begun would commit all the same."""
        return await asyncio.wrap_future(self.submit(call))

    def close_connections(self) -> None:
        everybody = threading.Barrier(self._count)
        for work in [self._pool.submit(_close, everybody) for _ in range(self._count)]:
            work.result()


_pools: list[DatabaseThreads] = []
_ours = DatabaseThreads("agents-orm")


async def in_thread(function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Runs it in a thread. A cancel waits for what has begun, since that commits; what has not is dropped.

    StorageError where the database is away, locked, or out of room.
    """
    work = _ours.submit(partial(_or_storage_error, partial(function, *args, **kwargs)))
    try:
        return await asyncio.shield(asyncio.wrap_future(work))
    except asyncio.CancelledError:
        if not work.cancel():
            await _settled(work)
        raise


def close_connections() -> None:
    """Closes the connections that all of these threads keep, as before the database is dropped."""
    for pool in _pools:
        pool.close_connections()


class _Used(threading.local):
    at = -math.inf


_used = _Used()


def _on_own_connection(call: Callable[[], _T]) -> _T:
    if _is_stale():
        close_old_connections()
    try:
        return call()
    except Exception:
        close_old_connections()
        raise
    finally:
        _used.at = time.monotonic()


def _is_stale() -> bool:
    """Not used for a while; or its server has said something unasked, which is that it goes."""
    if time.monotonic() - _used.at > KEPT_SECONDS or connection.errors_occurred:
        return True
    opened = connection.connection
    return connection.vendor == "postgresql" and opened is not None and _has_news(opened)


def _has_news(opened: Any) -> bool:
    if opened.closed:
        return True
    poll = select.poll()
    poll.register(opened.fileno(), select.POLLIN)
    return bool(poll.poll(0))


def _or_storage_error(call: Callable[[], _T]) -> _T:
    with as_storage_error():
        return call()


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
