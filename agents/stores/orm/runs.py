"""The life of a run's row: start, append, finish, fold, delete. One transaction each.

The lock of a run is its row: each write begins with the statement that counts it under the caller's fence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agents.checkpoint import RunHead
from agents.errors import LeaseLost, RunInFlight, UserError
from agents.models import Checkpoint
from agents.session import require_id
from agents.stores.orm.heads import context_values, head_values
from agents.stores.orm.logs import delete_indexes, delete_log, insert_entries, new_log
from agents.stores.orm.segments import insert_segment
from agents.stores.orm.transactions import (
    Inside,
    execute,
    fetch,
    run_inside,
    sql_time,
    writing,
)
from agents.transcript import Entry


def start(
    run_id: str,
    session_id: str | None,
    entries: Sequence[Entry],
    head: RunHead,
    *,
    owner: str | None,
    fence: int = 1,
    inside: Inside = None,
) -> int:
    """Makes the run, with its first entries, and returns its fence. Without an owner it has no lease.

    RunInFlight names what is in the way: this run, or the session's other unfinished one.
    """
    require_id(run_id, "run_id")
    if session_id is not None:
        require_id(session_id, "session_id")
    log = new_log()
    with writing():
        _insert_run(run_id, session_id, log, len(entries), head, owner, fence)
        insert_entries(log, 0, entries)
        run_inside(inside)
    return fence


def append(run_id: str, fence: int, entries: Sequence[Entry], head: RunHead, *, inside: Inside = None) -> int:
    """Adds entries and replaces the head; also keeps a lease alive. Returns the next index of the log.

    LeaseLost if the run has another fence, is finished, or is gone.
    """
    with writing():
        rows = _update_head(run_id, fence, len(entries), head)
        if not rows:
            raise lost(run_id)
        next_index = _extend(rows[0], run_id, entries, head)
        run_inside(inside)
    return next_index


def append_unowned(run_id: str, entries: Sequence[Entry], head: RunHead) -> bool:
    """The same for a caller without a lease, if nobody else has one. False: there is no such run.

    RunInFlight if somebody runs it; UserError if it is finished and its entries belong to the session.
    """
    with writing():
        rows = _update_head(run_id, None, len(entries), head)
        if rows:
            _extend(rows[0], run_id, entries, head)
            return True
    found = Checkpoint.objects.filter(run_id=run_id).values_list("appended_at", flat=True).first()
    if found is not None:
        raise UserError(f"run {run_id!r} is finished")
    if Checkpoint.objects.filter(run_id=run_id).exists():
        raise RunInFlight(run_id)
    return False


def finish(
    run_id: str,
    fence: int,
    entries: Sequence[Entry],
    head: RunHead,
    *,
    meta: dict[str, Any] | None,
    keep: bool = False,
    inside: Inside = None,
) -> None:
    """The last save, the segment, and the end of the checkpoint (`keep`: it stays for replays)."""
    with writing():
        log, next_index, session_id = _complete(run_id, fence, head) if keep else _take(run_id, fence)
        insert_entries(log, next_index, entries)
        length = next_index + len(entries)
        if not insert_segment(_session_of(run_id, session_id), run_id, log, length, meta):
            _give_way(run_id, session_id, log)
        run_inside(inside)


def fold(
    run_id: str,
    fence: int,
    *,
    tail: Sequence[Entry],
    drop: Sequence[int],
    meta: dict[str, Any] | None,
    inside: Inside = None,
) -> None:
    """Ends a run where it stands: without the rows at `drop` and with the tail it becomes the segment.

    With nothing left at all there is no segment.
    """
    with writing():
        log, next_index, session_id = _take(run_id, fence)
        length = next_index - delete_indexes(log, drop) + len(tail)
        insert_entries(log, next_index, tail)
        if length and not insert_segment(_session_of(run_id, session_id), run_id, log, length, meta):
            delete_log(log)
        run_inside(inside)


def delete_run(run_id: str, fence: int | None = None) -> None:
    """Idempotent. Entries that a session has stay. With a fence: LeaseLost if the run has another one."""
    with writing():
        rows = fetch(
            "DELETE FROM agents_checkpoint WHERE run_id = %s AND fence = COALESCE(%s, fence)"
            " RETURNING log, appended_at",
            [run_id, fence],
        )
        for log, appended_at in rows:
            if appended_at is None:
                delete_log(log)
        if not rows and fence is not None and Checkpoint.objects.filter(run_id=run_id).exists():
            raise lost(run_id)


def take_run(run_id: str, fence: int | None) -> tuple[Any, int, str | None, str, str]:
    """Ends the checkpoint of a run in flight: its (log, next index, session, status, head)."""
    rows = fetch(
        "DELETE FROM agents_checkpoint WHERE run_id = %s AND fence = COALESCE(%s, fence)"
        " AND appended_at IS NULL RETURNING log, next_index, session_id, status, head",
        [run_id, fence],
    )
    if not rows:
        raise lost(run_id)
    log, next_index, session_id, status, head = rows[0]
    return log, next_index, session_id, status, head


def lost(run_id: str) -> LeaseLost:
    return LeaseLost(f"run {run_id!r} has another owner, is finished, or is gone")


def _insert_run(
    run_id: str,
    session_id: str | None,
    log: Any,
    next_index: int,
    head: RunHead,
    owner: str | None,
    fence: int,
) -> None:
    context, context_digest = context_values(head)
    rows = fetch(
        "INSERT INTO agents_checkpoint (run_id, session_id, log, next_index, agent_name, status, turns, head,"
        " output, context_state, context_digest, started_at, updated_at, fence, lease_owner,"
        " lease_expires_at, handed_over, auto_resumes)"
        " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, COALESCE(%s, @now), COALESCE(%s, @now), %s, %s,"
        " CASE WHEN %s THEN @lease_end END, %s, 0)"
        " ON CONFLICT DO NOTHING RETURNING run_id",
        [
            *(run_id, session_id, log, next_index),
            *head_values(head),
            *(context, context_digest),
            *(sql_time(head.started_at), sql_time(head.updated_at)),
            *(fence, owner, owner is not None, False),
        ],
    )
    if not rows:
        raise _in_the_way(run_id, session_id)


def _in_the_way(run_id: str, session_id: str | None) -> UserError:
    same = Checkpoint.objects.filter(run_id=run_id).first()
    if same is not None and (same.appended_at or same.status == "completed"):
        return UserError(f"run {run_id!r} is finished")
    if same is not None:
        return RunInFlight(run_id)
    rival = Checkpoint.objects.filter(session_id=session_id, appended_at=None).exclude(status="completed")
    first = rival.values_list("run_id", flat=True).first() or ""
    return RunInFlight(
        first,
        f"session {session_id!r} has an unfinished run already: {first!r}",
        hint="Resume it, or delete it, before another one starts.",
    )


def _update_head(run_id: str, fence: int | None, added: int, head: RunHead) -> list[tuple[Any, ...]]:
    """Counts the row under the fence or, without one, if nobody has a lease on it."""
    return fetch(
        "UPDATE agents_checkpoint SET next_index = next_index + %s, agent_name = %s, status = %s, turns = %s,"
        " head = %s, output = %s, started_at = COALESCE(%s, started_at),"
        " updated_at = COALESCE(%s, @now),"
        " lease_expires_at = CASE WHEN lease_expires_at IS NOT NULL AND %s THEN @lease_end END"
        " WHERE run_id = %s AND appended_at IS NULL"
        " AND (fence = %s OR (%s AND (lease_expires_at IS NULL OR lease_expires_at <= @now)))"
        " RETURNING log, next_index, context_digest",
        [
            added,
            *head_values(head),
            *(sql_time(head.started_at), sql_time(head.updated_at)),
            *(fence is not None, run_id, fence, fence is None),
        ],
    )


def _extend(row: tuple[Any, ...], run_id: str, entries: Sequence[Entry], head: RunHead) -> int:
    log, next_index, stored_digest = row
    insert_entries(log, next_index - len(entries), entries)
    context, context_digest = context_values(head)
    if context_digest != stored_digest:
        execute(
            "UPDATE agents_checkpoint SET context_state = %s, context_digest = %s WHERE run_id = %s",
            [context, context_digest, run_id],
        )
    return int(next_index)


def _take(run_id: str, fence: int) -> tuple[Any, int, str | None]:
    log, next_index, session_id, _, _ = take_run(run_id, fence)
    return log, next_index, session_id


def _complete(run_id: str, fence: int, head: RunHead) -> tuple[Any, int, str | None]:
    # The fence goes up: the log is the session's from here on, and its last owner writes to it no more.
    rows = fetch(
        "UPDATE agents_checkpoint SET agent_name = %s, status = %s, turns = %s, head = %s, output = %s,"
        " updated_at = COALESCE(%s, @now), appended_at = @now, fence = fence + 1,"
        " lease_owner = NULL, lease_expires_at = NULL"
        " WHERE run_id = %s AND fence = %s AND appended_at IS NULL RETURNING log, next_index, session_id",
        [*head_values(head), sql_time(head.updated_at), run_id, fence],
    )
    if not rows:
        raise lost(run_id)
    log, next_index, session_id = rows[0]
    return log, next_index, session_id


def _session_of(run_id: str, session_id: str | None) -> str:
    if session_id is None:
        raise UserError(f"run {run_id!r} has no session that it could go to")
    return session_id


def _give_way(run_id: str, session_id: str | None, log: Any) -> None:
    """The session has this run already and the first write wins: a kept checkpoint replays that one."""
    execute(
        "UPDATE agents_checkpoint SET log ="
        " (SELECT log FROM agents_segment WHERE session_id = %s AND run_id = %s) WHERE run_id = %s",
        [session_id, run_id, run_id],
    )
    delete_log(log)
