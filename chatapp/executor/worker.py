"""A worker process: procrastinate's worker and our executor on one loop, from the start to the hand-over."""

from __future__ import annotations

import asyncio
import logging
import signal
from typing import Any

from procrastinate import App
from procrastinate.contrib.django import connector_params
from procrastinate.exceptions import ConnectorException
from procrastinate.psycopg_connector import PsycopgConnector
from procrastinate.worker import Worker
from psycopg import AsyncConnection

from chatapp import executor

logger = logging.getLogger(__name__)

PAUSE_SECONDS = 1.0
HAND_OVER_SECONDS = 12.0


def connector() -> PsycopgConnector:
    """procrastinate's own connections: one while there is little to do, and one that listens.

    Each of its queries is a transaction by itself: without BEGIN and COMMIT they take half as long.
    """
    return PsycopgConnector(kwargs=connector_params(), configure=_autocommit, min_size=1, max_size=4)


async def _autocommit(connection: AsyncConnection[Any]) -> None:
    await connection.set_autocommit(True)


async def work_until_signalled(app: App, **options: Any) -> None:
    """Until SIGTERM or SIGINT, however often. `options`: those of `manage.py procrastinate worker`."""
    stopping = asyncio.Event()
    for which in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(which, stopping.set)
    await work(app, stopping, **options)


async def work(app: App, stopping: asyncio.Event, **options: Any) -> None:
    """Takes runs and drives them. At the end it lets them go on for a while and hands over the rest.

    Where the database is away for longer than a query can wait, procrastinate's worker gives up: the runs go
    on under their leases, and another worker begins in its place.
    """
    # No middleware: it tidies up the connections of a thread in which nothing of ours runs.
    options = {**app.worker_defaults, "install_signal_handlers": False, "task_middleware": [], **options}
    grace = options.pop("shutdown_graceful_timeout")
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(_in_one_line)
    app.perform_import_paths()
    executor.server_started(loop)
    told = loop.create_task(stopping.wait())
    worker, working = _begin(app, options)
    while not stopping.is_set():
        await asyncio.wait({told, working}, return_when=asyncio.FIRST_COMPLETED)
        if working.done() and not worker.wait:
            break  # --one-shot: there is nothing left to do
        if working.done() and not stopping.is_set():
            logger.warning("worker: ended by itself (%s); another begins", _reason(working.exception()))
            await asyncio.wait({told}, timeout=PAUSE_SECONDS)
            worker, working = _begin(app, options)
    await _stop(worker, working, grace)


def _begin(app: App, options: dict[str, Any]) -> tuple[Worker, asyncio.Task[None]]:
    # Where it gives up, its jobs are cut short: their runs do not end with them.
    patience = 0 if options.get("wait", True) else None
    worker = Worker(app, **options, shutdown_graceful_timeout=patience)
    logger.info("Working: up to %s runs at once", worker.concurrency)
    return worker, asyncio.get_running_loop().create_task(worker.run())


async def _stop(worker: Worker, working: asyncio.Task[None], grace: float) -> None:
    """It claims nothing more; its jobs end with their runs, by themselves or by being handed over."""
    worker.shutdown_graceful_timeout = grace + HAND_OVER_SECONDS
    worker.stop()
    await executor.server_stopping(grace)
    await asyncio.wait({working}, timeout=HAND_OVER_SECONDS)
    if working.done() and working.exception():
        logger.warning("worker: %s", _reason(working.exception()))


def _in_one_line(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """A job whose end could not be told to the database: it comes again, and finds its run taken."""
    if isinstance(context.get("exception"), ConnectorException):
        logger.warning("worker: a job's end was not told: %s", _reason(context["exception"]))
    else:
        loop.default_exception_handler(context)


def _reason(error: BaseException | None) -> str:
    """In one line; procrastinate says "Database error." of what the database has said."""
    return " ".join(str(error.__cause__ or error).split()) if error else "no reason given"
