"""Reading the event log. Every read names the thread and the run."""

from __future__ import annotations

from itertools import chain
from typing import Any

from django.db.models import Max, Min

from chatapp.eventlog.frames import Frame
from chatapp.models import RunEvent


def last_seq(thread_id: Any, run_id: str) -> int:
    """The number of the run's newest frame; 0 where it has none."""
    newest = RunEvent.objects.filter(thread_id=thread_id, run_id=run_id).aggregate(seq=Max("last_seq"))
    return newest["seq"] or 0


def read_after(thread_id: Any, run_id: str, after: int) -> list[Frame]:
    """The run's frames with a seq above `after`, in order."""
    rows = RunEvent.objects.filter(thread_id=thread_id, run_id=run_id, last_seq__gt=after)
    return [frame for frame in _frames(rows) if frame["seq"] > after]


def tail(thread_id: Any, run_id: str, stored: int) -> list[Frame]:
    """The frames of the rows that reach beyond the first `stored` entries (read these entries first)."""
    return _frames(RunEvent.objects.filter(thread_id=thread_id, run_id=run_id, top_index__gte=stored))


def is_known(thread_id: Any, run_id: str, after: int) -> bool:
    """Whether a client that has seen this run up to `after` can go on from there."""
    span = RunEvent.objects.filter(thread_id=thread_id, run_id=run_id).aggregate(
        first=Min("first_seq"), last=Max("last_seq")
    )
    return span["last"] is not None and span["first"] - 1 <= after <= span["last"]


def _frames(rows: Any) -> list[Frame]:
    return list(chain.from_iterable(rows.order_by("first_seq").values_list("frames", flat=True)))
