"""The database of one run of the bench: made empty, read by plain SQL, removed."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg.rows import dict_row

Row = dict[str, Any]
TABLES = (
    "agents_entry",
    "agents_segment",
    "agents_checkpoint",
    "chatapp_thread",
    "chatapp_queuedmessage",
    "chatapp_revision",
    "chatapp_runevent",
    "chatapp_receipt",
)


class Database(ABC):
    """`url` is where the servers find it."""

    url: str

    @abstractmethod
    def create(self) -> None: ...

    @abstractmethod
    def drop(self) -> None: ...

    @abstractmethod
    def rows(self, sql: str) -> Iterator[Row]:
        """Of one SELECT that both databases understand. UUIDs come in their long form, JSON may be text."""

    @abstractmethod
    def save(self, folder: Path) -> None:
        """What has to be there to look into a violation."""

    @abstractmethod
    def stall(self, ended: threading.Event, seconds: float) -> None:
        """Keeps everybody from writing until then. Blocks."""


class Sqlite(Database):
    now = "strftime('%Y-%m-%d %H:%M:%f', 'now')"

    def __init__(self, folder: Path) -> None:
        self.path = folder / "chaos.sqlite3"
        self.url = f"sqlite:///{self.path}"

    def create(self) -> None:
        """The first server does."""

    def drop(self) -> None:
        """It goes with its folder."""

    def rows(self, sql: str) -> Iterator[Row]:
        with closing(sqlite3.connect(f"file:{self.path}?mode=ro", uri=True, timeout=20)) as connection:
            connection.row_factory = sqlite3.Row
            for row in connection.execute(sql):
                yield dict(row)

    def save(self, folder: Path) -> None:
        """It is in the folder already."""

    def stall(self, ended: threading.Event, seconds: float) -> None:
        with closing(sqlite3.connect(self.path, timeout=20, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            ended.wait(seconds)
            connection.execute("ROLLBACK")


class Postgres(Database):
    """A new database on the server of `server_url`. The servers may see it under another port (a proxy's)."""

    now = "clock_timestamp()"

    def __init__(self, server_url: str, name: str) -> None:
        self._server_url = server_url
        self._name = name
        self._own_url = with_place(server_url, database=name)
        self.url = self._own_url

    @property
    def place(self) -> tuple[str, int]:
        parts = urlsplit(self._server_url)
        return parts.hostname or "127.0.0.1", parts.port or 5432

    def behind(self, port: int) -> None:
        self.url = with_place(self._own_url, port=port)

    def create(self) -> None:
        self._administer(f'CREATE DATABASE "{self._name}"')

    def drop(self) -> None:
        self._administer(f'DROP DATABASE IF EXISTS "{self._name}" WITH (FORCE)')

    def _administer(self, sql: str) -> None:
        with psycopg.connect(with_place(self._server_url, database="postgres"), autocommit=True) as admin:
            admin.execute(sql.encode())

    def rows(self, sql: str) -> Iterator[Row]:
        with self._connect() as connection, connection.cursor(row_factory=dict_row) as cursor:
            yield from cursor.execute(sql.encode())

    def save(self, folder: Path) -> None:
        for table in TABLES:
            with (folder / f"{table}.jsonl").open("w") as file:
                file.writelines(
                    json.dumps(row, default=str) + "\n" for row in self.rows(f"SELECT * FROM {table}")
                )

    def _connect(self) -> psycopg.Connection:
        """Waits for a place where the server has too many clients: these are not what is looked at."""
        for _ in range(40):
            try:
                return psycopg.connect(self._own_url)
            except psycopg.OperationalError:
                time.sleep(0.25)
        return psycopg.connect(self._own_url)

    def stall(self, ended: threading.Event, seconds: float) -> None:
        with self._connect() as connection:
            connection.execute("LOCK TABLE agents_checkpoint IN EXCLUSIVE MODE")
            ended.wait(seconds)
            connection.rollback()


def with_place(url: str, *, port: int | None = None, database: str | None = None) -> str:
    """The URL with another port on this machine, or another database."""
    parts = urlsplit(url)
    login, at, _ = parts.netloc.rpartition("@")
    place = parts.netloc if port is None else f"{login}{at}127.0.0.1:{port}"
    path = parts.path if database is None else f"/{database}"
    return urlunsplit(parts._replace(netloc=place, path=path))
