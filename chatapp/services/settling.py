"""Settle: bring a thread to a state in which nothing is live."""

from __future__ import annotations

import time

from django.db import close_old_connections

from agents.stores.orm import checkpoints
from agents.stores.orm.checkpoints import InFlight
from chatapp import executor
from chatapp.eventlog import Delivery, hub
from chatapp.eventlog.hub import owner_topic
from chatapp.lifecycle import fold_waiting, is_live, is_waiting, take_over_and_fold
from chatapp.lifecycle.queue import STOPPED, hold, tell_queue
from chatapp.models import Thread
from chatapp.services.commands import command, publish_later, tell_sidebar

STOP_SECONDS = 10.0
POLL_SECONDS = 0.05


def stop(thread: Thread) -> None:
    """Stop and save. Returns when the run is folded; does nothing where nothing is live.

    What waits behind it, or was about to start, is held until the user says that it may go on.
    """
    if thread.queue.exists():
        _hold_what_waits(thread)
    settle(thread)


def _hold_what_waits(thread: Thread) -> None:
    with command(thread) as locked:
        run = checkpoints.in_flight(locked.session_id)
        if is_live(run) or run is None:
            _hold(locked)


def _hold(thread: Thread) -> None:
    if hold(thread, STOPPED):
        tell_queue(thread)


def settle(thread: Thread, *, only: str | None = None) -> None:
    """Asks the owner of a live run to fold it, waits up to 10 s, then takes the lease and folds itself.

    One that waits for a worker is folded at once. Runs without an owner are left alone: they end in the
    command's own transaction, or by the user's choice. Waits outside of any transaction. `only`: this run,
    and none that began since.
    """
    run = checkpoints.in_flight(thread.session_id)
    if run is None or not run.live or only not in (None, run.run_id):
        return
    with command(thread) as locked:
        asked = _ask_to_stop(locked, run.run_id)
    if asked is not None:
        wake_owner(asked)
        if not _is_gone(asked, within=STOP_SECONDS):
            _fold_in_place(thread, asked)


def wake_owner(run: InFlight) -> None:
    """Its owner, wherever that is, ends the run at once. If this is lost, its next beat sees the mark."""
    wake = Delivery.of(None, [{"type": "stop", "run_id": run.run_id, "fence": run.fence}])
    hub.deliver(owner_topic(run.lease_owner or ""), wake)


def _ask_to_stop(thread: Thread, run_id: str) -> InFlight | None:
    """Marks the run for its owner. → the run; None where it has ended, or nobody had it and it was folded"""
    _hold(thread)  # before the owner folds, and looks for what comes next
    run = checkpoints.in_flight(thread.session_id)
    if run is None or run.run_id != run_id or _fold_if_waiting(thread, run):
        return None
    checkpoints.request_stop(run_id)
    return checkpoints.in_flight(thread.session_id) if is_waiting(run) else run


def _fold_if_waiting(thread: Thread, run: InFlight) -> bool:
    frames = fold_waiting(thread, run, ending="stopped") if is_waiting(run) else None
    if frames is None:
        return False
    publish_later(thread, run.run_id, frames)
    tell_sidebar(thread)
    return True


def _is_gone(run: InFlight, *, within: float) -> bool:
    """Waits without a connection to the database: whoever ends the run may need the last one of the pool."""
    deadline = time.monotonic() + within
    close_old_connections()
    executor.get().wait(run.run_id, within)
    while True:
        now = checkpoints.in_flight(run.session_id or "")
        if now is None or now.run_id != run.run_id or not now.live:
            return now is None or now.run_id != run.run_id
        if time.monotonic() > deadline:
            return False
        close_old_connections()
        time.sleep(POLL_SECONDS)


def _fold_in_place(thread: Thread, run: InFlight) -> None:
    with command(thread) as locked:
        now = checkpoints.in_flight(locked.session_id)
        if now is None or now.run_id != run.run_id:
            return
        if now.live or now.head.status == "running":  # else its owner has ended it meanwhile: it failed
            publish_later(locked, now.run_id, take_over_and_fold(locked, now, ending="stopped"))
