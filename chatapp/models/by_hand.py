"""What every send does to the web app's own rows, as SQL: the ORM takes longer to build it than to run it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import lru_cache, partial
from typing import Any, TypeVar
from uuid import UUID, uuid4

from django.db import connection, models

from agents.stores.orm.transactions import execute, fetch, sql_time, sql_uuid

M = TypeVar("M", bound=models.Model)


def find(model: type[M], *, lock: bool = False, **columns: UUID | int) -> M | None:
    """The row with these values, as the ORM would give it: `find(Thread, id=…, owner_id=…)`.

    `lock`: held until the end of the caller's transaction.
    """
    values = [sql_uuid(value) if isinstance(value, UUID) else value for value in columns.values()]
    rows = fetch(_select(model, tuple(columns), lock=lock), values)
    if not rows:
        return None
    row = list(rows[0])
    for at, convert in _conversions(model, connection.vendor):
        row[at] = convert(row[at])
    return model.from_db(connection.alias, _columns(model), row)


@lru_cache
def _columns(model: type[models.Model]) -> list[str]:
    return [field.attname for field in _fields(model)]


@lru_cache
def _select(model: type[models.Model], columns: tuple[str, ...], *, lock: bool) -> str:
    names, where = ", ".join(_columns(model)), " AND ".join(f"{column} = %s" for column in columns)
    table = model._meta.db_table  # noqa: SLF001 (Django documents it)
    return f"SELECT {names} FROM {table} WHERE {where}{' @for_update' if lock else ''}"  # noqa: S608 (our names)


@lru_cache
def _conversions(model: type[models.Model], vendor: str) -> list[tuple[int, Callable[[Any], Any]]]:
    """Of the columns whose type the database of this vendor does not have."""
    columns = [field.get_col(model._meta.db_table) for field in _fields(model)]  # noqa: SLF001 (see above)
    return [
        (at, partial(_converted, convert, column))
        for at, column in enumerate(columns)
        for convert in connection.ops.get_db_converters(column)
    ]


def _converted(convert: Callable[[Any, Any, Any], Any], column: Any, value: Any) -> Any:
    return convert(value, column, connection)


def _fields(model: type[models.Model]) -> Any:
    return model._meta.concrete_fields  # noqa: SLF001 (see above)


def touch_thread(thread_id: UUID, at: datetime) -> None:
    """Something was said in it."""
    execute("UPDATE chatapp_thread SET updated_at = %s WHERE id = %s", [sql_time(at), sql_uuid(thread_id)])


def has_queue(thread_id: UUID) -> bool:
    return bool(
        fetch("SELECT 1 FROM chatapp_queuedmessage WHERE thread_id = %s LIMIT 1", [sql_uuid(thread_id)])
    )


def insert_receipt(*, owner_id: int, client_id: UUID, command: str, thread_id: UUID, run_id: str) -> None:
    """IntegrityError where the owner's client_id has one already."""
    ids = [sql_uuid(uuid4()), owner_id, sql_uuid(client_id), sql_uuid(thread_id)]
    execute(
        "INSERT INTO chatapp_receipt (id, owner_id, client_id, thread_id, command, run_id, created_at)"
        " VALUES (%s, %s, %s, %s, %s, %s, @now)",
        [*ids, command, run_id],
    )
