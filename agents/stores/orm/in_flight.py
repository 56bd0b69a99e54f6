"""Looking at runs in flight, without their entries."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import BooleanField, Count, ExpressionWrapper, Q, QuerySet
from django.db.models.functions import Now

from agents.checkpoint import RunHead
from agents.models import Checkpoint
from agents.stores.orm.heads import head_of


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


def in_flight(session_id: str) -> InFlight | None:
    """The session's run in flight. One that is completed, but never got into its session, counts too."""
    return in_flight_many([session_id]).get(session_id)


def in_flight_many(session_ids: Collection[str]) -> dict[str, InFlight]:
    rows = _rows().filter(session_id__in=list(session_ids)) if session_ids else []
    found: dict[str, InFlight] = {}
    for run in map(_in_flight, rows):
        known = found.get(run.session_id or "")
        if known is None or known.head.status == "completed":
            found[run.session_id or ""] = run
    return found


def run_in_flight(run_id: str) -> InFlight | None:
    row = _rows().filter(run_id=run_id).first()
    return None if row is None else _in_flight(row)


def still_in_flight(run_ids: Collection[str]) -> set[str]:
    """Those of the runs that are in flight."""
    return set(
        Checkpoint.objects.filter(appended_at=None, run_id__in=run_ids).values_list("run_id", flat=True)
    )


def live_counts() -> dict[str, int]:
    """How many runs each owner with a valid lease has."""
    live = Checkpoint.objects.filter(lease_owner__isnull=False, lease_expires_at__gt=Now())
    return dict(live.values_list("lease_owner").annotate(runs=Count("run_id")))


def owned_by(owner: str, limit: int = 1000) -> list[str]:
    """The runs on which this owner has a lease, valid or not, the oldest first."""
    runs = Checkpoint.objects.filter(lease_owner=owner, appended_at=None).order_by("started_at")
    return list(runs.values_list("run_id", flat=True)[:limit])


def live_session_ids() -> list[str]:
    """The sessions whose run is live."""
    live = Checkpoint.objects.filter(lease_owner__isnull=False, lease_expires_at__gt=Now())
    return [session_id for session_id in live.values_list("session_id", flat=True) if session_id]


def orphans(limit: int = 50) -> list[InFlight]:
    """Nobody's runs that are running or interrupted: first those whose owner vanished, then the newest."""
    nobodys = Q(lease_expires_at=None) | Q(lease_expires_at__lte=Now())
    rows = _rows().filter(nobodys, status__in=("running", "interrupted"))
    return [_in_flight(row) for row in rows.order_by("-status", "-handed_over", "-started_at")[:limit]]


def _rows() -> QuerySet[Checkpoint]:
    is_live = ExpressionWrapper(Q(lease_expires_at__gt=Now()), output_field=BooleanField())
    return Checkpoint.objects.filter(appended_at=None).annotate(is_live=is_live)


def _in_flight(row: Checkpoint) -> InFlight:
    return InFlight(
        run_id=row.run_id,
        session_id=row.session_id,
        log=row.log,
        head=head_of(row),
        next_index=row.next_index,
        fence=row.fence,
        lease_owner=row.lease_owner,
        live=bool(getattr(row, "is_live", False)),
        stop_requested=row.stop_requested_at is not None,
        handed_over=row.handed_over,
        auto_resumes=row.auto_resumes,
    )
