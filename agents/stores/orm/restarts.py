"""A new run in the place of the one that has its id."""

from __future__ import annotations

from collections.abc import Sequence

from agents.checkpoint import RunHead
from agents.errors import RunInFlight
from agents.models import Checkpoint
from agents.models import Entry as EntryRow
from agents.models import Segment as SegmentRow
from agents.session import gone_on
from agents.stores.orm.runs import delete_run, start
from agents.stores.orm.transactions import writing
from agents.transcript import Entry


def restart(
    run_id: str,
    held: int | None,
    entries: Sequence[Entry],
    head: RunHead,
    *,
    owner: str,
    fence: int,
    in_session: bool,
) -> int:
    """The old run goes, and the new one begins with its first entries; returns the new fence.

    `held` is the fence of the old run, None where it is not in flight. `in_session`: its segment goes too.
    LeaseLost if the old run has another fence; RunInFlight if another run is in the way; UserError if its
    segment is not the session's last.
    """
    with writing():
        _delete_old(run_id, held)
        start(run_id, head.session_id, entries, head, owner=owner, fence=fence)
        # After the start: from there on nobody else can bring a run into the session.
        if in_session and head.session_id is not None:
            _drop_last_segment(head.session_id, run_id)
    return fence


def _delete_old(run_id: str, held: int | None) -> None:
    if held is None and Checkpoint.objects.filter(run_id=run_id, appended_at=None).exists():
        raise RunInFlight(run_id)
    delete_run(run_id, held)


def _drop_last_segment(session_id: str, run_id: str) -> None:
    rows = SegmentRow.objects.select_for_update().filter(session_id=session_id)
    last = rows.order_by("-id").first()
    if last is not None and last.run_id == run_id:
        EntryRow.objects.filter(log=last.log).delete()
        last.delete()
    elif rows.filter(run_id=run_id).exists():
        raise gone_on(run_id)
