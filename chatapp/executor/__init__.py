"""Where runs execute. Live tasks are only here; a run belongs to the server, never to a connection.

RUN_EXECUTOR chooses: `inprocess`, the process that was sent the message, or `procrastinate`, workers that
take the runs from a queue in Postgres. The rest of the app sees neither, only `execute` and an `Executor`.
"""

from __future__ import annotations

import asyncio
import threading
from functools import cache

from chatapp.assistants import warm_up
from chatapp.eventlog import Frame
from chatapp.eventlog.channel import Decorate
from chatapp.executor import interface
from chatapp.executor.inprocess import InProcessExecutor
from chatapp.executor.interface import Executor
from chatapp.lifecycle import RunJob, runs_wait_for_workers

GRACE_SECONDS = 5.0
"""How long runs may go on when their process is told to end; what is not done by then goes on elsewhere."""


@cache
def get() -> InProcessExecutor:
    """The executor of this process."""
    if not runs_wait_for_workers():
        return InProcessExecutor()
    from chatapp.executor.procrastinate import ProcrastinateExecutor

    return ProcrastinateExecutor()


def execute(job: RunJob, frames: list[Frame]) -> None:
    """In the transaction that stores the run or resumes it: after the commit it is shown, and driven."""
    interface.execute(get(), job, frames)


def configure(*, decorate: Decorate) -> None:
    """Wires what the page adds to tool frames. Called once, when Django is ready."""
    get().decorate = decorate


def server_started(loop: asyncio.AbstractEventLoop) -> None:
    """The executor works on the server's loop from now on; what a crash or a deploy left is looked after."""
    threading.Thread(target=warm_up, name="warm-up", daemon=True).start()
    get().start(loop)


async def server_stopping(grace: float = GRACE_SECONDS) -> None:
    """Lets runs end for `grace` seconds, then hands over the rest to go on elsewhere, or once it is back."""
    await get().shutdown(grace)


__all__ = ["Executor", "configure", "execute", "get", "server_started", "server_stopping"]
