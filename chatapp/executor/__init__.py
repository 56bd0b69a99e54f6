"""Where runs execute. Live tasks are only here; a run belongs to the server, never to a connection."""

from __future__ import annotations

import asyncio

from chatapp.eventlog.channel import Decorate
from chatapp.executor.inprocess import InProcessExecutor

_executor = InProcessExecutor()


def get() -> InProcessExecutor:
    """The executor of this process."""
    return _executor


def configure(*, decorate: Decorate) -> None:
    """Wires what the page adds to tool frames. Called once, when Django is ready."""
    _executor.decorate = decorate


def server_started(loop: asyncio.AbstractEventLoop) -> None:
    """Runs execute on the server's loop from now on; what a crash or a deploy left is looked after."""
    _executor.start(loop)


async def server_stopping(grace: float = 5.0) -> None:
    """Lets runs end for `grace` seconds, then hands over the rest: they go on after the restart."""
    await _executor.shutdown(grace)


__all__ = ["InProcessExecutor", "configure", "get", "server_started", "server_stopping"]
