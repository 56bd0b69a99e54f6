"""Who has a run that starts or goes on: this process, or nobody yet, while it waits for a worker."""

from __future__ import annotations

from django.conf import settings

from agents.stores.orm import checkpoints
from agents.stores.orm.checkpoints import InFlight

QUEUED_OWNER = "queue"
"""Has the leases of runs that wait for a worker. Every process keeps them alive, so that such a run counts as
live however long it waits, and the worker that takes it has a fence of its own."""


def runs_wait_for_workers() -> bool:
    return bool(settings.RUN_EXECUTOR == "procrastinate")


def owner_of_new_runs() -> str:
    """In whose name a run is stored or claimed that is to be executed."""
    return QUEUED_OWNER if runs_wait_for_workers() else checkpoints.process_owner()


def as_it_is(run: InFlight) -> InFlight:
    """The run under the lease that was just taken: its owner may have written until then."""
    return checkpoints.run_in_flight(run.run_id) or run


def is_waiting(run: InFlight) -> bool:
    """Live, and no worker has it yet."""
    return run.live and run.lease_owner == QUEUED_OWNER
