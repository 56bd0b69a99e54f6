"""Write transactions, the database's clock, and the few lines around raw SQL.

The hot statements are raw SQL that SQLite and PostgreSQL share: to build them by the ORM costs more than to
run them. In them `@now` is the time by the database's clock, `@lease_end` the end of a lease that begins now,
`@lease_half` the time when half of it is over. `@for_update` locks the selected row. `@in_order` locks the
selected runs in the one order that all statements over several runs keep, so that none waits for another in a
ring; `@if_free` leaves out those that somebody is busy with. (SQLite has one writer: there is nothing to
lock.)
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.db import InterfaceError, OperationalError, connection, transaction

from agents.errors import StorageError

LEASE_SECONDS = 10
SQLITE_SECONDS = 20.0
SQLITE_WAIT = 0.5
AWAY = (OperationalError, InterfaceError)
"""What a database raises that is away, locked, or out of room."""

logger = logging.getLogger(__name__)

Inside = Callable[[], object] | None

# SQLite has one writer at a time, and one that waits sleeps for up to 100 ms. The threads of this process
# queue up here instead, which costs nothing.
_sqlite_writer = threading.Lock()


@contextmanager
def writing() -> Iterator[None]:
    """One write transaction. Inside another one it is a part of that (a savepoint)."""
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        # Whoever has the database already must not wait for a thread that waits for the database.
        with transaction.atomic():
            yield
        return
    with _sqlite_turn(), transaction.atomic():
        yield


@contextmanager
def _sqlite_turn() -> Iterator[None]:
    """As long as SQLite itself waits: behind a lock of another process no line of threads grows for ever."""
    # In short waits: the time in which the process itself stood still is nobody's patience.
    waits = range(max(1, round(SQLITE_SECONDS / SQLITE_WAIT)))
    if not any(_sqlite_writer.acquire(timeout=min(SQLITE_WAIT, SQLITE_SECONDS)) for _ in waits):
        raise OperationalError("database is locked, and other threads wait for it too")
    try:
        yield
    finally:
        _sqlite_writer.release()


@contextmanager
def as_storage_error() -> Iterator[None]:
    """A database's own words are for the log: they may name its host and its users."""
    try:
        yield
    except AWAY as error:
        logger.warning("database: %s", error)
        raise StorageError(
            "The database could not be read or written.",
            hint="Try again in a moment. If it stays so, the server needs its operator.",
        ) from error


def execute(sql: str, parameters: Sequence[Any] = ()) -> int:
    """The number of rows that the statement touched."""
    with connection.cursor() as cursor:
        cursor.execute(_in_dialect(sql, connection.vendor), parameters)
        return int(cursor.rowcount)


def fetch(sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """The rows that it returns. No `IS NULL` in a RETURNING: SQLite 3.40 answers it wrongly."""
    with connection.cursor() as cursor:
        cursor.execute(_in_dialect(sql, connection.vendor), parameters)
        return list(cursor.fetchall())


def database_now() -> datetime:
    """By the clock that says when a lease ends, whatever that of this process says."""
    ((now,),) = fetch("SELECT @now")
    return now if isinstance(now, datetime) else datetime.fromisoformat(now).replace(tzinfo=UTC)


def sql_time(moment: datetime | None) -> Any:
    """A time as a parameter."""
    return connection.ops.adapt_datetimefield_value(moment)


def sql_uuid(value: UUID | str) -> Any:
    """A UUID as a parameter: SQLite has no type for it."""
    known = value if isinstance(value, UUID) else UUID(value)
    return known.hex if connection.vendor == "sqlite" else known


def with_rows(sql: str, count: int, width: int = 1) -> str:
    """The statement with `@rows` written out as that many rows of parameters."""
    row = ", ".join(["%s"] * width)
    return sql.replace("@rows", ", ".join([f"({row})" if width > 1 else row] * count))


def run_inside(inside: Inside) -> None:
    if inside is not None:
        inside()


@lru_cache
def _in_dialect(sql: str, vendor: str) -> str:
    for word, meaning in _DIALECTS[vendor].items():
        sql = sql.replace(word, meaning)
    return sql


_SQLITE_TIME = "strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now'{})"
_DIALECTS = {
    "sqlite": {
        # In the form in which Django keeps times there.
        "@now": _SQLITE_TIME.format(""),
        "@lease_end": _SQLITE_TIME.format(f", '+{LEASE_SECONDS} seconds'"),
        "@lease_half": _SQLITE_TIME.format(f", '+{LEASE_SECONDS / 2} seconds'"),
        "@for_update": "",
        "@in_order": "",
        "@if_free": "",
    },
    "postgresql": {
        # The wall's time: that of a transaction stands still while it waits for a lock.
        "@now": "clock_timestamp()",
        "@lease_end": f"clock_timestamp() + interval '{LEASE_SECONDS} seconds'",
        "@lease_half": f"clock_timestamp() + interval '{LEASE_SECONDS / 2} seconds'",
        "@for_update": "FOR NO KEY UPDATE",
        "@in_order": "ORDER BY run_id FOR NO KEY UPDATE",
        "@if_free": "ORDER BY run_id FOR NO KEY UPDATE SKIP LOCKED",
    },
}
