"""What is done about runs whose owner is gone: by itself only what is safe, the rest is said to the user."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any, ParamSpec

from django.db import DatabaseError, transaction

from agents.errors import UserError
from agents.stores.orm import checkpoints
from agents.stores.orm.checkpoints import InFlight
from agents.stores.orm.owners import is_dead_owner
from agents.stores.orm.transactions import database_now, writing
from chatapp.assistants import get_assistant
from chatapp.eventlog import Frame, forget, partial_of, publish, quiet_since, record, tail
from chatapp.eventlog.rows import Run
from chatapp.executor.interface import Executor, execute
from chatapp.lifecycle import may_resume, resume, runs_wait_for_workers, take_over_and_fold
from chatapp.lifecycle.folding import finished_frame
from chatapp.lifecycle.ownership import QUEUED_OWNER
from chatapp.lifecycle.queue import tell_queue
from chatapp.models import Receipt, Thread
from chatapp.models.by_hand import find, has_queue
from chatapp.models.thread import thread_ids

P = ParamSpec("P")
logger = logging.getLogger(__name__)

EVENTS_KEPT = timedelta(hours=1)
RECEIPTS_KEPT = timedelta(days=7)
SWEPT_AT_ONCE = 500


def expire_the_dead() -> None:
    """Ends the leases of processes of this host that do not exist any more, so that nobody waits for them."""
    checkpoints.expire_dead_owners(is_dead_owner)


def keep_waiting_runs_live() -> None:
    """However long they wait for a worker: no backlog looks like a crash. Before orphans are looked for."""
    if runs_wait_for_workers():
        checkpoints.keep_alive(QUEUED_OWNER)


def look_after_orphans(executor: Executor) -> None:
    """Resumes, folds or marks every run whose lease has run out, once.

    Not those that this process drives: where it slept, with its machine, its next beat renews their leases.
    """
    for orphan in filter(_is_undecided, checkpoints.orphans()):
        thread = None if executor.drives(orphan.run_id) else _thread_of(orphan)
        if thread is not None:
            each_by_itself(orphan.run_id, look_after, executor, thread)


def each_by_itself(name: str, step: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
    """One that cannot be decided about keeps none of the others from it."""
    try:
        step(*args, **kwargs)
    except DatabaseError as error:
        logger.warning("%s: %s", name, error)
    except Exception:
        logger.exception("%s: cannot be looked after", name)


def _thread_of(run: InFlight) -> Thread | None:
    """None for a run of somebody else who uses the engine on this database."""
    return Thread.objects.filter(pk__in=thread_ids([run.session_id])).first()


def _is_undecided(run: InFlight) -> bool:
    return run.head.status == "running" or run.handed_over or run.stop_requested


def look_after(executor: Executor, thread: Thread) -> None:
    """Decides about the thread's run, under the thread's lock, so that no command comes in between."""
    with writing():
        locked = find(Thread, lock=True, id=thread.id)
        run = _held(thread.session_id)
        if locked is None or run is None or run.live:
            return
        if not run.stop_requested and _goes_on(locked, run):
            _go_on(executor, locked, run)
        elif frames := _end(locked, run):
            transaction.on_commit(lambda: publish(locked.id, run.run_id, frames))
        if has_queue(locked.id):
            tell_queue(locked)


def _held(session_id: str) -> InFlight | None:
    """The run in flight. An owner that wakes up writes nothing more until the decision is made, and after
    it finds another fence: what is decided on is what is there."""
    run = checkpoints.in_flight(session_id)
    if run is not None and not run.live:
        checkpoints.hold_fences({run.run_id: run.fence})
        run = checkpoints.run_in_flight(run.run_id)
    return run


def _go_on(executor: Executor, thread: Thread, run: InFlight) -> None:
    resumed = resume(thread, run, automatic=True)
    if resumed is not None:
        logger.info("run %s: resumed by itself", run.run_id)
        execute(executor, *resumed)


def _end(thread: Thread, run: InFlight) -> list[Frame]:
    if run.stop_requested:
        return take_over_and_fold(thread, run, ending="stopped")
    return _mark_interrupted(thread, run)


def _goes_on(thread: Thread, run: InFlight) -> bool:
    shown = partial_of(tail(thread.id, run.run_id, run.next_index), run.next_index)
    entries = checkpoints.run_entries(run.log)
    return may_resume(run, entries, has_shown=bool(shown), is_repeatable=_repeatable_of(thread))


def _repeatable_of(thread: Thread) -> Any:
    try:
        tools = {tool.name: tool.repeatable for tool in get_assistant(thread.assistant).tools}
    except UserError:
        tools = {}
    return lambda name: tools.get(name, False)


def _mark_interrupted(thread: Thread, run: InFlight) -> list[Frame]:
    """Says once, in the log, that the run has no owner. The user decides what becomes of it."""
    if run.head.status != "running":
        return []
    fence = checkpoints.claim(run.run_id, owner=checkpoints.process_owner())
    if fence is None:
        return []
    frames = record(thread.id, run.run_id, [finished_frame("interrupted")], stored=run.next_index)
    checkpoints.release(run.run_id, fence, head=replace(run.head, status="interrupted", error=None))
    return frames


def sweep() -> None:
    """Removes frames of runs that have ended over an hour ago, and receipts older than a week."""
    now = database_now()
    for runs in batched(quiet_since(now - EVENTS_KEPT), SWEPT_AT_ONCE):
        in_flight = checkpoints.still_in_flight([run.run_id for run in runs])
        for run in runs:
            if run.run_id not in in_flight:
                forget(run)
    Receipt.objects.filter(created_at__lt=now - RECEIPTS_KEPT).delete()


def batched(items: list[Run], size: int) -> Iterator[list[Run]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
