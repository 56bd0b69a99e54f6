"""Where the writes of runs execute: a small pool of threads of our own.

SQLite has one writer anyway: one thread keeps it from waiting for itself.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from typing import TypeVar

from django.db import DatabaseError, close_old_connections, connection

T = TypeVar("T")
logger = logging.getLogger(__name__)
_in_background: set[Future[None]] = set()


@cache
def _pool() -> ThreadPoolExecutor:
    workers = 1 if connection.vendor == "sqlite" else 4
    return ThreadPoolExecutor(workers, thread_name_prefix="run-writer")


async def in_writer_thread(work: Callable[[], T]) -> T:
    """Runs one transaction. Not to be cancelled: what has begun would commit all the same."""
    return await asyncio.get_running_loop().run_in_executor(_pool(), _with_connection, work)


def in_background(work: Callable[[], object]) -> None:
    """Runs a transaction that nobody waits for. What it cannot do is tried again by the heartbeat."""
    begun = _pool().submit(_logged, work)
    _in_background.add(begun)
    begun.add_done_callback(_in_background.discard)


def wait_for_background(timeout: float) -> None:
    """Until what was given to the background is done, for at most so many seconds."""
    wait(list(_in_background), timeout)


def _logged(work: Callable[[], object]) -> None:
    try:
        _with_connection(work)
    except DatabaseError as error:
        logger.warning("background write: %s", error)


def _with_connection(work: Callable[[], T]) -> T:
    close_old_connections()
    try:
        return work()
    finally:
        close_old_connections()
