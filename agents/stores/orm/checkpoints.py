"""Runs in flight as plain synchronous functions, one transaction each, for whoever has a thread of their own.

`inside` runs in the transaction, after the run's row is held and before the commit: what it writes is written
together with the run, or not at all.
"""

from agents.stores.orm.in_flight import (
    InFlight,
    in_flight,
    in_flight_many,
    live_counts,
    live_session_ids,
    orphans,
    owned_by,
    run_in_flight,
    still_in_flight,
)
from agents.stores.orm.leases import (
    Beat,
    Claimed,
    beat,
    claim,
    claim_for_now,
    expire_dead_owners,
    give_back,
    heartbeat,
    hold_fences,
    keep_alive,
    release,
    request_stop,
    take_over,
)
from agents.stores.orm.logs import indexed_entries, run_entries
from agents.stores.orm.owners import is_dead_owner, process_owner
from agents.stores.orm.restarts import restart
from agents.stores.orm.runs import append, delete_run, finish, fold, start
from agents.stores.orm.snapshots import load_run
from agents.stores.orm.transactions import LEASE_SECONDS

__all__ = [
    "LEASE_SECONDS",
    "Beat",
    "Claimed",
    "InFlight",
    "append",
    "beat",
    "claim",
    "claim_for_now",
    "delete_run",
    "expire_dead_owners",
    "finish",
    "fold",
    "give_back",
    "heartbeat",
    "hold_fences",
    "in_flight",
    "in_flight_many",
    "indexed_entries",
    "is_dead_owner",
    "keep_alive",
    "live_counts",
    "live_session_ids",
    "load_run",
    "orphans",
    "owned_by",
    "process_owner",
    "release",
    "request_stop",
    "restart",
    "run_entries",
    "run_in_flight",
    "start",
    "still_in_flight",
    "take_over",
]
