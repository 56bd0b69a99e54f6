"""Where the writes of runs execute: a small pool of threads of our own.

SQLite has one writer anyway: one thread keeps it from waiting for itself.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future, wait
from functools import cache
from typing import TypeVar

from django.db import DatabaseError, connection

from agents.stores.orm.threads import DatabaseThreads

T = TypeVar("T")
logger = logging.getLogger(__name__)
_in_background: set[Future[object]] = set()


@cache
def _writers() -> DatabaseThreads:
    return DatabaseThreads("run-writer", 1 if connection.vendor == "sqlite" else 4)


async def in_writer_thread(work: Callable[[], T]) -> T:
    """Runs one transaction. Not to be cancelled: what has begun would commit all the same."""
    return await _writers().run(work)


def in_background(work: Callable[[], object]) -> None:
    """Runs a transaction that nobody waits for. What it cannot do is tried again by the heartbeat."""
    begun = _writers().submit(work)
    _in_background.add(begun)
    begun.add_done_callback(_done)


def wait_for_background(timeout: float) -> None:
    """Until what was given to the background is done, for at most so many seconds."""
    wait(list(_in_background), timeout)


def _done(work: Future[object]) -> None:
    _in_background.discard(work)
    error = work.exception()
    if isinstance(error, DatabaseError):
        logger.warning("background write: %s", error)
    elif error is not None:
        logger.error("background write: a fault of ours", exc_info=error)
