"""Where sockets read the database: a few threads of their own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ParamSpec, TypeVar

from agents.stores.orm.threads import DatabaseThreads

P = ParamSpec("P")
T = TypeVar("T")

_readers = DatabaseThreads("sockets")


async def in_reader_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Runs a sync read off the event loop."""
    return await _readers.run(partial(function, *args, **kwargs))
