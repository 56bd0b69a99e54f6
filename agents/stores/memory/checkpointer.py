"""InMemoryCheckpointer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from typing import Protocol, runtime_checkable

from agents.checkpoint import RunHead, RunSnapshot
from agents.errors import RunInFlight
from agents.session import Session, require_id
from agents.transcript import Entry, entry_from_json, entry_to_json, json_text

# Not JSON: kept as they are, which is safe, since nobody can change them.
_FROZEN = ("usage", "started_at", "updated_at")
_JSON = tuple(f.name for f in fields(RunHead) if f.name not in _FROZEN)


@dataclass(slots=True)
class _Run:
    """The entries are kept as JSON, so that nobody outside shares anything with them."""

    entries: list[str]
    head: RunHead


@runtime_checkable
class _SessionInMemory(Protocol):
    """The InMemorySession, whose module needs this one."""

    def check_last(self, session_id: str, run_id: str) -> None: ...

    def drop_last(self, session_id: str, run_id: str) -> None: ...


class InMemoryCheckpointer:
    """A Checkpointer with leases that last until their release, since their owner cannot vanish alone."""

    heartbeat_every: float | None = None

    def __init__(self) -> None:
        self._runs: dict[str, _Run] = {}
        self._claimed: set[str] = set()
        # How those of them stood that nothing was written to since.
        self._found: dict[str, RunHead] = {}

    async def append(self, run_id: str, entries: Sequence[Entry], head: RunHead) -> None:
        added = [entry_to_json(entry) for entry in entries]
        known = self._runs.get(require_id(run_id, "run_id"))
        head = _stamped(head, None if known is None else known.head)
        if known is None:
            if head.status != "completed":
                self._refuse_second_run(head.session_id)
            self._runs[run_id] = _Run(added, head)
        else:
            known.entries += added
            known.head = head
        self._found.pop(run_id, None)

    async def load(self, run_id: str) -> RunSnapshot | None:
        run = self._runs.get(require_id(run_id, "run_id"))
        if run is None:
            return None
        return RunSnapshot(run_id, [entry_from_json(text) for text in run.entries], _copied(run.head))

    async def delete(self, run_id: str) -> None:
        self._runs.pop(require_id(run_id, "run_id"), None)
        self._found.pop(run_id, None)

    def can_restart(self, session: Session | None) -> bool:
        return session is None or isinstance(session, _SessionInMemory)

    async def restart(
        self, run_id: str, entries: Sequence[Entry], head: RunHead, *, session: Session | None
    ) -> None:
        given: object = session
        ours = given if isinstance(given, _SessionInMemory) else None
        if ours and head.session_id:
            ours.check_last(head.session_id, run_id)
        before = self._runs.pop(run_id, None)
        try:
            await self.append(run_id, entries, head)
        finally:
            if before is not None:
                self._runs.setdefault(run_id, before)
        if ours and head.session_id:
            ours.drop_last(head.session_id, run_id)

    async def acquire(self, run_id: str) -> None:
        if require_id(run_id, "run_id") in self._claimed:
            raise RunInFlight(run_id)
        self._claimed.add(run_id)
        run = self._runs.get(run_id)
        if run is None:
            return
        self._found[run_id] = run.head
        if run.head.status in ("interrupted", "failed"):
            run.head = replace(run.head, status="running")

    async def release(self, run_id: str) -> None:
        self._claimed.discard(run_id)
        found, run = self._found.pop(run_id, None), self._runs.get(run_id)
        if found is not None and run is not None:
            run.head = found

    async def beat(self, run_id: str) -> None:
        """Nothing to keep alive."""

    def forget_run(self, session_id: str, run_id: str) -> None:
        """For a session that loses this run."""
        run = self._runs.get(run_id)
        if run is not None and run.head.session_id == session_id:
            del self._runs[run_id]

    def forget_session(self, session_id: str) -> None:
        """For a session that is cleared."""
        for run_id in list(self._runs):
            self.forget_run(session_id, run_id)

    def _refuse_second_run(self, session_id: str | None) -> None:
        for run_id, run in self._runs.items():
            if session_id is not None and _is_unfinished(run) and run.head.session_id == session_id:
                raise RunInFlight(
                    run_id,
                    f"session {session_id!r} has an unfinished run already: {run_id!r}",
                    hint="Resume it, or delete it, before another one starts.",
                )


def _is_unfinished(run: _Run) -> bool:
    return run.head.status != "completed"


def _stamped(head: RunHead, before: RunHead | None) -> RunHead:
    """The head as it is kept: a copy, with the times that it lacks, in the session that the run began in."""
    now = datetime.now(UTC)
    started_at = head.started_at or (before.started_at if before else now)
    session_id = before.session_id if before else head.session_id
    copy = _copied(head)
    return replace(copy, started_at=started_at, updated_at=head.updated_at or now, session_id=session_id)


def _copied(head: RunHead) -> RunHead:
    facts = {name: getattr(head, name) for name in _JSON}
    return replace(head, **json.loads(json_text(facts)))
