"""Where the servers of a bench keep their data, and what can be read there from outside."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg

from benchmarks import machine

LOCAL_POSTGRES = "postgres://postgres@127.0.0.1:5432/postgres"
LOCAL_REDIS = "redis://127.0.0.1:6379/13"


class Place(ABC):
    """`environment`: how a server finds it. `workers`: how many processes drive the runs in its place."""

    name: str
    environment: dict[str, str]
    workers = 0

    @abstractmethod
    def connections(self, server: int) -> int:
        """How many the server has open."""

    @abstractmethod
    def processes(self) -> list[int]:
        """Those of the database itself that work for us."""

    @abstractmethod
    def count_written(self, server: int) -> Callable[[], int]:
        """From now on; the answer tells the bytes."""


class Sqlite(Place):
    name = "SQLite"

    def __init__(self, folder: Path) -> None:
        self.path = folder / "bench.sqlite3"
        self.environment = {"DATABASE_URL": f"sqlite:///{self.path}", "REDIS_URL": ""}

    def connections(self, server: int) -> int:
        return machine.open_files(server, self.path)

    def processes(self) -> list[int]:
        return []

    def count_written(self, server: int) -> Callable[[], int]:
        """What the server hands to its files: the write-ahead log, and what of it goes on to the database."""
        before = machine.written(server)
        return lambda: machine.written(server) - before


class Postgres(Place):
    """A new database, which is empty, and goes when the block ends."""

    name = "Postgres and Redis"

    def __init__(self, url: str, redis_url: str) -> None:
        self._url = url
        self.environment = {"DATABASE_URL": url, "REDIS_URL": redis_url}

    def connections(self, server: int) -> int:
        return len(self.processes())

    def processes(self) -> list[int]:
        """One a connection, without the one that asks here."""
        with psycopg.connect(self._url) as connection:
            found = connection.execute(
                "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
                " AND pid <> pg_backend_pid()"
            )
            return [pid for (pid,) in found]

    def count_written(self, server: int) -> Callable[[], int]:
        """The write-ahead log. With pg_walinspect that of this database alone, else that of all."""
        with psycopg.connect(self._url, autocommit=True) as connection:
            has_inspect = connection.execute(
                "SELECT 1 FROM pg_available_extensions WHERE name = 'pg_walinspect'"
            ).fetchone()
            if has_inspect:
                connection.execute("CREATE EXTENSION IF NOT EXISTS pg_walinspect")
            start = _flushed(connection)
        return lambda: self._written_since(start, own_only=has_inspect is not None)

    def _written_since(self, start: str, *, own_only: bool) -> int:
        sql = (
            "WITH log AS (SELECT * FROM pg_get_wal_records_info(%(start)s, %(end)s)),"
            " own AS (SELECT * FROM log WHERE block_ref LIKE '%%/' ||"
            " (SELECT oid FROM pg_database WHERE datname = current_database()) || '/%%')"
            " SELECT sum(record_length) FROM log"
            " WHERE xid IN (SELECT xid FROM own WHERE xid <> '0') OR start_lsn IN (SELECT start_lsn FROM own)"
        )
        with psycopg.connect(self._url, autocommit=True) as connection:
            end = _flushed(connection)
            known = {"start": start, "end": end}
            all_of_it = "SELECT %(end)s::pg_lsn - %(start)s::pg_lsn"
            row = connection.execute(sql if own_only else all_of_it, known).fetchone()
            return int(row[0] or 0) if row else 0


class PostgresAndWorker(Postgres):
    """The server only stores and shows; a process of its own drives the runs."""

    name = "Postgres, Redis and a worker"
    workers = 1

    def __init__(self, url: str, redis_url: str) -> None:
        super().__init__(url, redis_url)
        self.environment["RUN_EXECUTOR"] = "procrastinate"


def _flushed(connection: psycopg.Connection) -> str:
    """How far the log has got; a transaction that is waited for brings the others to the disk."""
    connection.execute("SELECT pg_logical_emit_message(true, 'bench', '')")
    row = connection.execute("SELECT pg_current_wal_flush_lsn()").fetchone()
    assert row is not None
    return str(row[0])


@contextmanager
def new_postgres(kind: type[Postgres] = Postgres) -> Iterator[Postgres]:
    """On the servers of TEST_DATABASE_URL and TEST_REDIS_URL, or the usual ones of this machine."""
    server = os.environ.get("TEST_DATABASE_URL") or LOCAL_POSTGRES
    redis = os.environ.get("TEST_REDIS_URL") or LOCAL_REDIS
    name = f"chatapp_bench_{os.getpid()}"
    administer(server, f'CREATE DATABASE "{name}"')
    try:
        yield kind(in_database(server, name), redis)
    finally:
        administer(server, f'DROP DATABASE "{name}" WITH (FORCE)')


def administer(server: str, sql: str) -> None:
    with psycopg.connect(in_database(server, "postgres"), autocommit=True) as admin:
        admin.execute(sql.encode())


def in_database(url: str, name: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))
