"""What is in the database at the end, read row by row without the product's own code."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from benchmarks.chaos.database import Database, Row

Where = Literal["segment", "flight", "queue", "revision"]


@dataclass(slots=True)
class StoredRun:
    """`entries` by index. A message in the queue counts as the run that it will start."""

    run_id: str
    session: str
    where: Where
    entries: dict[int, dict[str, Any]]
    meta: dict[str, Any] = field(default_factory=dict)
    length: int = 0

    @property
    def message(self) -> str:
        first = next(iter(self.entries.values()), {})
        return str(first.get("content", "")) if first.get("type") == "input" else ""

    @property
    def ended_at(self) -> datetime | None:
        """As its segment says."""
        said = (self.meta.get("timing") or {}).get("finished_at")
        return datetime.fromisoformat(said) if said else None

    def shown(self, kind: str) -> str:
        """The stored text of that type of entry."""
        return "".join(e["content"] for e in self.entries.values() if e["type"] == kind)


@dataclass(slots=True)
class StoredThread:
    """`line`: segments, what is in flight, and the queue, in this order. `cuts`: what was set aside."""

    id: str
    held: str
    line: list[StoredRun] = field(default_factory=list)
    cuts: list[list[StoredRun]] = field(default_factory=list)

    @property
    def runs(self) -> list[StoredRun]:
        return [*self.line, *(run for cut in self.cuts for run in cut)]


@dataclass(slots=True)
class Stored:
    """`checkpoints` as they are; `strays` names rows that belong to nothing."""

    threads: dict[str, StoredThread]
    checkpoints: list[Row]
    strays: list[str]

    @property
    def runs(self) -> dict[str, StoredRun]:
        return {run.run_id: run for thread in self.threads.values() for run in thread.runs}


def read(database: Database) -> Stored:
    reader = Reader(database)
    threads = {
        long_id(row["id"]): reader.thread(row) for row in database.rows("SELECT * FROM chatapp_thread")
    }
    return Stored(threads, reader.checkpoints, list(reader.strays(threads)))


class Reader:
    def __init__(self, database: Database) -> None:
        self._logs: dict[str, dict[int, dict[str, Any]]] = defaultdict(dict)
        for row in database.rows('SELECT log, "index", data FROM agents_entry ORDER BY log, "index"'):
            self._logs[long_id(row["log"])][row["index"]] = json.loads(row["data"])
        self._segments: dict[str, list[Row]] = defaultdict(list)
        for row in database.rows("SELECT * FROM agents_segment ORDER BY id"):
            self._segments[row["session_id"]].append(row)
        self.checkpoints = list(database.rows("SELECT * FROM agents_checkpoint WHERE appended_at IS NULL"))
        self._queue = list(database.rows("SELECT * FROM chatapp_queuedmessage ORDER BY thread_id, position"))
        self._revisions = list(database.rows("SELECT * FROM chatapp_revision ORDER BY id"))

    def thread(self, row: Row) -> StoredThread:
        thread = StoredThread(long_id(row["id"]), row["queue_held"])
        thread.line = [
            *self._session(thread.id, "segment"),
            *self._flight(thread.id),
            *self._waiting(thread.id),
        ]
        thread.cuts = [
            self._session(revision["cut_id"], "revision")
            for revision in self._revisions
            if long_id(revision["thread_id"]) == thread.id
        ]
        return thread

    def _session(self, session: str, where: Where) -> list[StoredRun]:
        return [
            StoredRun(
                row["run_id"],
                session,
                where,
                self._logs.get(long_id(row["log"]), {}),
                json.loads(row["meta"]) if row["meta"] else {},
                row["length"],
            )
            for row in self._segments.get(session, ())
        ]

    def _flight(self, session: str) -> list[StoredRun]:
        return [
            StoredRun(
                row["run_id"],
                session,
                "flight",
                self._logs.get(long_id(row["log"]), {}),
                {"status": row["status"]},
                row["next_index"],
            )
            for row in self.checkpoints
            if row["session_id"] == session
        ]

    def _waiting(self, session: str) -> list[StoredRun]:
        return [
            StoredRun(
                row["run_id"], session, "queue", {0: {"type": "input", "content": text_in(row["content"])}}
            )
            for row in self._queue
            if long_id(row["thread_id"]) == session
        ]

    def strays(self, threads: dict[str, StoredThread]) -> Iterator[str]:
        """Rows that nothing points to, as a deletion or a fold that was done by half would leave them."""
        cuts = {revision["cut_id"] for revision in self._revisions}
        for session in self._segments.keys() - threads.keys() - cuts:
            yield f"segments of session {session}"
        for row in self.checkpoints:
            if row["session_id"] not in threads:
                yield f"a checkpoint of session {row['session_id']}"
        kept = {long_id(row["log"]) for rows in self._segments.values() for row in rows}
        for log in self._logs.keys() - kept - {long_id(row["log"]) for row in self.checkpoints}:
            yield f"{len(self._logs[log])} entries of log {log}"


def frames_by_run(database: Database) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Run by run, its frames in order, as the rows of the event log have them."""
    run_id, frames = "", list[dict[str, Any]]()
    for row in database.rows("SELECT run_id, frames FROM chatapp_runevent ORDER BY run_id, first_seq"):
        if row["run_id"] != run_id:
            if frames:
                yield run_id, frames
            run_id, frames = row["run_id"], []
        frames += json_in(row["frames"])
    if frames:
        yield run_id, frames


def json_in(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value


def text_in(content: Any) -> Any:
    """The content of a queued message: JSON as text on SQLite, a value on Postgres."""
    try:
        return json_in(content)
    except ValueError:
        return content


def long_id(value: Any) -> str:
    return str(value if isinstance(value, UUID) else UUID(str(value)))
