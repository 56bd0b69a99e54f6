"""`manage.py procrastinate worker`: drives runs, where RUN_EXECUTOR=procrastinate. Any number, on any host.

Each needs the environment of the web processes: at least DATABASE_URL (Postgres), REDIS_URL, SECRET_KEY,
RUN_EXECUTOR=procrastinate, and whatever names models, keys and ASSISTANTS. It brings the database up to date,
like `serve`, so it may start before, after or without a web process. It is ready when it logs "Working".

    RUN_EXECUTOR=procrastinate … manage.py serve
    RUN_EXECUTOR=procrastinate … manage.py procrastinate worker [--concurrency 50]

--concurrency (default: MAX_RUNS) is how many runs it drives at once, --shutdown-graceful-timeout (5 s) how
long they may go on after SIGTERM before they are handed over; it ends with status 0 within that time and a
moment. After kill -9 its runs go on elsewhere, or are marked as interrupted, once their leases have run out
(10 s). The other sub-commands (`healthchecks`, `shell`) are procrastinate's own.
"""

import logging
import os
from typing import Any

from django.core.management.base import CommandError
from django.db import connections
from procrastinate.contrib.django.management.commands import procrastinate

from chatapp.checks import TAG
from chatapp.lifecycle import runs_wait_for_workers
from chatapp.prepare import needs_database, prepare_database


class Command(procrastinate.Command):
    help = "Runs a worker, or another command of procrastinate."
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        if not runs_wait_for_workers():
            raise CommandError("There is nothing for a worker to do. Set RUN_EXECUTOR=procrastinate first.")
        self.check(tags=[TAG])
        if options["command"] != "worker":
            super().handle(*args, **options)
            return
        with needs_database():
            prepare_database()
        connections.close_all()
        self.work(**options)

    def work(self, **options: Any) -> None:
        from procrastinate.contrib.django import app

        from chatapp.executor.worker import connector, work_until_signalled

        async def work_and_leave(**chosen: Any) -> None:
            await work_until_signalled(**chosen)
            leave()

        with app.replace_connector(connector()):
            super().handle(**options | {"app": app, "func": work_and_leave})


def leave() -> None:
    """Ends the process here: the thread of a tool cannot be cancelled, and would be waited for."""
    logging.shutdown()
    os._exit(0)
