"""Looking at runs in flight, without their entries. By hand: every command, page and heartbeat does it."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from agents.checkpoint import RunHead
from agents.models import Checkpoint
from agents.stores.orm.heads import head_of
from agents.stores.orm.transactions import fetch, with_rows


@dataclass(frozen=True, slots=True)
class InFlight:
    """A run that is not appended yet. `live`: somebody's lease on it is valid."""

    run_id: str
    session_id: str | None
    log: uuid.UUID
    head: RunHead
    next_index: int
    fence: int
    lease_owner: str | None
    live: bool
    stop_requested: bool
    handed_over: bool
    auto_resumes: int
    appended: bool = False


class Row(NamedTuple):
    """The columns that are read here, in the order of the SELECT."""

    run_id: str
    session_id: str | None
    log: uuid.UUID
    next_index: int
    agent_name: str
    status: str
    turns: int
    head: str
    output: str | None
    context_state: str | None
    started_at: datetime
    updated_at: datetime
    fence: int
    lease_owner: str | None
    stop_requested_at: datetime | None
    handed_over: bool
    auto_resumes: int
    is_live: bool


_SELECT = (
    "SELECT run_id, session_id, log, next_index, agent_name, status, turns, head, output, context_state,"
    " started_at, updated_at, fence, lease_owner, stop_requested_at, handed_over, auto_resumes,"
    " COALESCE(lease_expires_at > @now, %s) FROM agents_checkpoint WHERE appended_at IS NULL"
)
_LIVE_COUNTS = (
    "SELECT lease_owner, COUNT(*) FROM agents_checkpoint"
    " WHERE lease_owner IS NOT NULL AND lease_expires_at > @now GROUP BY lease_owner"
)
_LIVE_SESSIONS = (
    "SELECT session_id FROM agents_checkpoint WHERE lease_owner IS NOT NULL AND lease_expires_at > @now"
)


def in_flight(session_id: str) -> InFlight | None:
    """The session's run in flight. One that is completed, but never got into its session, counts too."""
    return in_flight_many([session_id]).get(session_id)


def in_flight_many(session_ids: Collection[str]) -> dict[str, InFlight]:
    if not session_ids:
        return {}
    found: dict[str, InFlight] = {}
    for run in _select(with_rows(" AND session_id IN (@rows)", len(session_ids)), session_ids):
        known = found.get(run.session_id or "")
        if known is None or known.head.status == "completed":
            found[run.session_id or ""] = run
    return found


def run_in_flight(run_id: str) -> InFlight | None:
    return next(iter(_select(" AND run_id = %s", [run_id])), None)


def still_in_flight(run_ids: Collection[str]) -> set[str]:
    """Those of the runs that are in flight."""
    return set(
        Checkpoint.objects.filter(appended_at=None, run_id__in=run_ids).values_list("run_id", flat=True)
    )


def live_counts() -> dict[str, int]:
    """How many runs each owner with a valid lease has."""
    return {owner: int(runs) for owner, runs in fetch(_LIVE_COUNTS)}


def owned_by(owner: str, limit: int = 1000) -> list[str]:
    """The runs on which this owner has a lease, valid or not, the oldest first."""
    runs = Checkpoint.objects.filter(lease_owner=owner, appended_at=None).order_by("started_at")
    return list(runs.values_list("run_id", flat=True)[:limit])


def live_session_ids() -> list[str]:
    """The sessions whose run is live."""
    return [session_id for (session_id,) in fetch(_LIVE_SESSIONS) if session_id]


def orphans(limit: int = 500) -> list[InFlight]:
    """Nobody's runs that are running or interrupted: first those whose owner vanished, then the newest."""
    nobodys = (
        " AND (lease_expires_at IS NULL OR lease_expires_at <= @now) AND status IN ('running', 'interrupted')"
        " ORDER BY status DESC, handed_over DESC, started_at DESC LIMIT %s"
    )
    return _select(nobodys, [limit])


def _select(condition: str, parameters: Collection[Any]) -> list[InFlight]:
    return [_in_flight(_read(values)) for values in fetch(_SELECT + condition, [False, *parameters])]


def _read(values: Sequence[Any]) -> Row:
    """SQLite has neither UUIDs nor times nor booleans."""
    row = Row(*values)
    return row._replace(
        log=uuid.UUID(str(row.log)), started_at=_time(row.started_at), updated_at=_time(row.updated_at)
    )


def _time(value: datetime | str) -> datetime:
    return value if isinstance(value, datetime) else datetime.fromisoformat(value).replace(tzinfo=UTC)


def _in_flight(row: Row) -> InFlight:
    return InFlight(
        run_id=row.run_id,
        session_id=row.session_id,
        log=row.log,
        head=head_of(row),
        next_index=row.next_index,
        fence=row.fence,
        lease_owner=row.lease_owner,
        live=bool(row.is_live),
        stop_requested=row.stop_requested_at is not None,
        handed_over=bool(row.handed_over),
        auto_resumes=row.auto_resumes,
    )
