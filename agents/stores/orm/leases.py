"""Who runs a run. A lease ends by itself unless it is kept alive; each new owner gets a higher fence."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from agents.checkpoint import RunHead
from agents.stores.orm.heads import context_values, head_values
from agents.stores.orm.runs import lost
from agents.stores.orm.transactions import (
    Inside,
    execute,
    fetch,
    run_inside,
    with_rows,
    writing,
)


@dataclass(frozen=True, slots=True)
class Beat:
    """A run that the owner still has."""

    run_id: str
    fence: int
    stop_requested: bool


@dataclass(frozen=True, slots=True)
class Claimed:
    """The new fence, and how the run stood before: in the database's own values."""

    fence: int
    status: str
    stop_requested_at: Any
    handed_over: Any


def claim(
    run_id: str, *, owner: str, force: bool = False, automatic: bool = False, inside: Inside = None
) -> int | None:
    """Takes the lease if it is free or has ended (`force`: in any case) and returns the new fence, else None.

    The run is running again. `automatic` counts as one of its resumes without a person. An earlier wish to
    stop is forgotten, since somebody wants it to go on; not so with `force`, which takes over to end it.
    """
    with writing():
        rows = fetch(
            "UPDATE agents_checkpoint SET lease_owner = %s, lease_expires_at = @lease_end,"
            " fence = fence + 1, handed_over = %s, auto_resumes = auto_resumes + %s,"
            " stop_requested_at = CASE WHEN %s THEN stop_requested_at END,"
            " status = CASE WHEN status = 'completed' THEN status ELSE 'running' END"
            " WHERE run_id = %s AND appended_at IS NULL"
            " AND (%s OR lease_expires_at IS NULL OR lease_expires_at <= @now) RETURNING fence",
            [owner, False, int(automatic), force, run_id, force],
        )
        if not rows:
            return None
        run_inside(inside)
    return int(rows[0][0])


def claim_for_now(run_id: str, *, owner: str) -> Claimed | None:
    """`claim` for a caller who may `give_back` the run untouched."""
    with writing():
        before = fetch(
            "SELECT status, stop_requested_at, handed_over FROM agents_checkpoint"
            " WHERE run_id = %s @for_update",
            [run_id],
        )
        fence = claim(run_id, owner=owner)
    return None if fence is None else Claimed(fence, *before[0])


def give_back(run_id: str, claimed: Claimed) -> None:
    """Ends the lease on a run that nothing was written to since: it is again as it stood before the claim.

    A wish to stop that came meanwhile stays. LeaseLost if the run has another fence.
    """
    with writing():
        if not execute(
            "UPDATE agents_checkpoint SET lease_owner = NULL, lease_expires_at = NULL, status = %s,"
            " stop_requested_at = COALESCE(stop_requested_at, %s), handed_over = %s"
            " WHERE run_id = %s AND fence = %s AND appended_at IS NULL",
            [claimed.status, claimed.stop_requested_at, claimed.handed_over, run_id, claimed.fence],
        ):
            raise lost(run_id)


def take_over(run_id: str, *, owner: str, from_owner: str) -> int | None:
    """Takes the lease from the owner that is named, valid or not: the new fence, else None."""
    with writing():
        rows = fetch(
            "UPDATE agents_checkpoint SET lease_owner = %s, lease_expires_at = @lease_end, fence = fence + 1"
            " WHERE run_id = %s AND lease_owner = %s AND appended_at IS NULL RETURNING fence",
            [owner, run_id, from_owner],
        )
    return int(rows[0][0]) if rows else None


def release(
    run_id: str,
    fence: int,
    *,
    head: RunHead | None = None,
    handed_over: bool = False,
    inside: Inside = None,
) -> None:
    """Ends the lease now, with a last head if given. `handed_over`: all was well, it may go on elsewhere."""
    with writing():
        rows = fetch(
            "UPDATE agents_checkpoint SET lease_owner = NULL, lease_expires_at = NULL, handed_over = %s"
            " WHERE run_id = %s AND fence = %s AND appended_at IS NULL RETURNING run_id",
            [handed_over, run_id, fence],
        )
        if not rows:
            raise lost(run_id)
        if head is not None:
            _write_head(run_id, head)
        run_inside(inside)


_HEARTBEAT = (
    "WITH held AS (SELECT run_id FROM agents_checkpoint"
    " WHERE lease_owner = %s AND lease_expires_at IS NOT NULL@driven @in_order)"
    " UPDATE agents_checkpoint SET lease_expires_at = @lease_end"
    " WHERE run_id IN (SELECT run_id FROM held) RETURNING run_id, fence, stop_requested_at"
)


def heartbeat(owner: str, run_ids: Collection[str] | None = None) -> list[Beat]:
    """Keeps the owner's leases alive; what is missing in the answer is not the owner's any more.

    With `run_ids` only of these: a lease whose run nobody drives must end.
    """
    if run_ids is not None and not run_ids:
        return []
    driven = "" if run_ids is None else with_rows(" AND run_id IN (@rows)", len(run_ids))
    with writing():
        rows = fetch(_HEARTBEAT.replace("@driven", driven), [owner, *(run_ids or ())])
    return [Beat(run_id, fence, stop is not None) for run_id, fence, stop in rows]


def keep_alive(owner: str) -> None:
    """Keeps the leases of an owner that is no process alive, whoever calls it: by the first who comes, late.

    A run that somebody is busy with is left to them. A lease that has ended, and nobody took, is valid again.
    """
    with writing():
        execute(
            "WITH held AS (SELECT run_id FROM agents_checkpoint"
            " WHERE lease_owner = %s AND lease_expires_at < @lease_half @if_free)"
            " UPDATE agents_checkpoint SET lease_expires_at = @lease_end"
            " WHERE run_id IN (SELECT run_id FROM held)",
            [owner],
        )


def beat(run_id: str, fence: int) -> None:
    """Keeps one lease alive; LeaseLost when it is another's, or was released."""
    with writing():
        if not execute(
            "UPDATE agents_checkpoint SET lease_expires_at = @lease_end"
            " WHERE run_id = %s AND fence = %s AND lease_expires_at IS NOT NULL AND appended_at IS NULL",
            [run_id, fence],
        ):
            raise lost(run_id)


def hold_fences(fences: Mapping[str, int]) -> set[str]:
    """The runs that still have these fences, held until the end of the caller's write transaction.

    Nothing is written: on PostgreSQL the rows are locked, on SQLite the transaction has the database anyway.
    """
    if not fences:
        return set()
    pairs = [value for pair in fences.items() for value in pair]
    sql = (
        "SELECT run_id FROM agents_checkpoint"
        " WHERE appended_at IS NULL AND (run_id, fence) IN (VALUES @rows) @in_order"
    )
    rows = fetch(with_rows(sql, len(fences), 2), pairs)
    return {run_id for (run_id,) in rows}


def request_stop(run_id: str) -> bool:
    """Marks the run for its owner, who sees it with the next beat. False: it is not in flight."""
    with writing():
        touched = execute(
            "UPDATE agents_checkpoint SET stop_requested_at = COALESCE(stop_requested_at, @now)"
            " WHERE run_id = %s AND appended_at IS NULL",
            [run_id],
        )
    return touched > 0


def expire_dead_owners(is_dead: Callable[[str], bool]) -> int:
    """Ends the leases of owners that are dead, without waiting for them. Returns how many."""
    owners = fetch("SELECT DISTINCT lease_owner FROM agents_checkpoint WHERE lease_owner IS NOT NULL")
    dead = [owner for (owner,) in owners if is_dead(owner)]
    if not dead:
        return 0
    with writing():
        sql = (
            "WITH held AS (SELECT run_id FROM agents_checkpoint WHERE lease_owner IN (@rows) @in_order)"
            " UPDATE agents_checkpoint SET lease_owner = NULL, lease_expires_at = NULL"
            " WHERE run_id IN (SELECT run_id FROM held) RETURNING run_id"
        )
        return len(fetch(with_rows(sql, len(dead)), dead))


def _write_head(run_id: str, head: RunHead) -> None:
    context, context_digest = context_values(head)
    execute(
        "UPDATE agents_checkpoint SET agent_name = %s, status = %s, turns = %s, head = %s, output = %s,"
        " context_state = %s, context_digest = %s, updated_at = @now WHERE run_id = %s",
        [*head_values(head), context, context_digest, run_id],
    )
