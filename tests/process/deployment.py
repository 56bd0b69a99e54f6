"""Two web processes and two workers on one Postgres and one Redis."""

from __future__ import annotations

from pathlib import Path

import psycopg

from tests.process.person import Person
from tests.process.server import Process, Web, Worker, environment_of, free_port


class Deployment:
    """Its processes are told apart by their index; a run is driven by the worker that took it."""

    def __init__(self, folder: Path, database_url: str, **environment: str) -> None:
        self.database_url = database_url
        common = environment_of(database_url, RUN_EXECUTOR="procrastinate", **environment)
        self.webs = [Web(folder / f"web{n}.log", common | {"PORT": str(free_port())}) for n in (0, 1)]
        self.workers = [Worker(folder / f"worker{n}.log", common) for n in (0, 1)]

    @property
    def processes(self) -> list[Process]:
        return [*self.webs, *self.workers]

    def start(self) -> None:
        """Whatever of it is not running."""
        missing = [process for process in self.processes if not process.is_running]
        for process in missing:
            process.launch()
        for process in missing:
            process.wait_until_ready()

    def kill(self) -> None:
        for process in self.processes:
            process.kill()

    def person_at(self, web: int, person: Person | None = None) -> Person:
        """Somebody who signs up at this web process, or the same person in a browser that reaches it."""
        if person is None:
            return Person(self.webs[web], "reader").sign_up()
        twin = Person(self.webs[web], person.name)
        twin.jar = person.jar
        twin.use_jar()
        return twin

    def driver_of(self, thread: str) -> Worker | None:
        """The worker that drives the thread's run, by the lease."""
        with psycopg.connect(self.database_url, autocommit=True) as database:
            sql = "SELECT lease_owner FROM agents_checkpoint WHERE session_id = %s"
            row = database.execute(sql, [thread]).fetchone()
        pid = row[0].split(":")[1] if row and row[0] and ":" in row[0] else ""
        return next((worker for worker in self.workers if str(worker.pid) == pid), None)

    def other_than(self, worker: Worker) -> Worker:
        return self.workers[1 - self.workers.index(worker)]

    def defer(self, run_id: str) -> None:
        """A job as procrastinate's own command makes it."""
        with psycopg.connect(self.database_url, autocommit=True) as database:
            database.execute(
                "INSERT INTO procrastinate_jobs (queue_name, task_name, priority, args)"
                " VALUES ('runs', 'drive_run', 0, jsonb_build_object('run_id', %s::text))",
                [run_id],
            )

    def count_jobs(self) -> int:
        with psycopg.connect(self.database_url, autocommit=True) as database:
            row = database.execute(
                "SELECT count(*) FROM procrastinate_jobs WHERE task_name = 'drive_run'"
            ).fetchone()
        return int(row[0]) if row else 0

    def cut_connections(self) -> None:
        with psycopg.connect(self.database_url, autocommit=True) as database:
            database.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
