"""Entry rows: written once, read in order. What cannot be read is one unreadable entry, never an error."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from agents.models import Entry as EntryRow
from agents.stores.orm.transactions import execute, sql_uuid, with_rows
from agents.transcript import Entry, UnreadableEntry, entry_from_json, entry_to_json

logger = logging.getLogger(__name__)

_ROWS_PER_INSERT = 500
_INSERT = 'INSERT INTO agents_entry (log, "index", type, data) VALUES @rows'


def new_log() -> Any:
    """A fresh log, as a parameter of SQL."""
    return sql_uuid(uuid.uuid4())


def insert_entries(log: Any, first: int, entries: Sequence[Entry]) -> None:
    """Writes the entries at `first` and on. `log` as SQL gave it."""
    for start in range(0, len(entries), _ROWS_PER_INSERT):
        chunk = entries[start : start + _ROWS_PER_INSERT]
        values: list[Any] = []
        for index, entry in enumerate(chunk, first + start):
            values += (log, index, entry.type, entry_to_json(entry))
        execute(with_rows(_INSERT, len(chunk), 4), values)


def delete_log(log: Any) -> None:
    execute("DELETE FROM agents_entry WHERE log = %s", [log])


def delete_indexes(log: Any, indexes: Iterable[int]) -> int:
    """How many of them were there."""
    wanted = sorted(set(indexes))
    if not wanted:
        return 0
    sql = 'DELETE FROM agents_entry WHERE log = %s AND "index" IN (@rows)'
    return execute(with_rows(sql, len(wanted)), [log, *wanted])


def decode(record: int, data: str) -> Entry | UnreadableEntry:
    try:
        return entry_from_json(data)
    except (ValueError, TypeError, RecursionError) as error:
        return UnreadableEntry(record, str(error))


def readable(entries: Iterable[Entry | UnreadableEntry], *, of: str) -> list[Entry]:
    """Without the damaged ones; one warning tells of them."""
    good: list[Entry] = []
    damaged: list[int] = []
    for entry in entries:
        if isinstance(entry, UnreadableEntry):
            damaged.append(entry.record)
        else:
            good.append(entry)
    if damaged:
        logger.warning("%s: left out %d unreadable entries (rows %s)", of, len(damaged), damaged[:10])
    return good


def indexed_entries(
    log: Any, start: int | None = None, stop: int | None = None
) -> list[tuple[int, Entry | UnreadableEntry]]:
    """The entries of a log whose index is in `start <= index < stop`, in order."""
    rows = EntryRow.objects.filter(log=log).order_by("index")
    if start is not None:
        rows = rows.filter(index__gte=start)
    if stop is not None:
        rows = rows.filter(index__lt=stop)
    return [(index, decode(pk, data)) for pk, index, data in rows.values_list("pk", "index", "data")]


def run_entries(log: Any, *, after: int | None = None, stop: int | None = None) -> list[Entry]:
    """The readable entries of a log, or those behind the index `after` and before the index `stop`."""
    start = None if after is None else after + 1
    return readable((entry for _, entry in indexed_entries(log, start, stop)), of=f"log {log}")
