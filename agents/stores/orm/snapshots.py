"""A stored run as the engine wants it: its head and all of its entries."""

from __future__ import annotations

from agents.checkpoint import RunSnapshot
from agents.models import Checkpoint
from agents.stores.orm.heads import head_of
from agents.stores.orm.logs import run_entries


def load_run(run_id: str) -> RunSnapshot | None:
    """In flight or kept. Entries that came since the head was read are left out: it says nothing of them."""
    row = Checkpoint.objects.filter(run_id=run_id).first()
    if row is None:
        return None
    stop = row.next_index if row.appended_at is None else None
    return RunSnapshot(run_id, run_entries(row.log, stop=stop), head_of(row))
