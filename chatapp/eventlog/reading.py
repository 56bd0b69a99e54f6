"""Reading the event log. Every read names thread and run, and costs what it finds, not what there is."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from itertools import chain
from typing import Any

from django.db.models import QuerySet

from chatapp.eventlog.frames import Frame
from chatapp.models import RunEvent

logger = logging.getLogger(__name__)

PIECE = 200
"""Rows that are held in memory at once for a reader who is behind and may be slow."""

Row = tuple[Any, str, int]


def last_seq(thread_id: Any, run_id: str) -> int:
    """The number of the run's newest frame; 0 where it has none."""
    newest = _rows(thread_id, run_id).order_by("-first_seq")
    return newest.values_list("last_seq", flat=True).first() or 0


def read_after(thread_id: Any, run_id: str, after: int) -> list[Frame]:
    """The run's frames with a seq above `after`, in order."""
    return _above(after, _frames(_ordered(_rows_from(thread_id, run_id, after))))


def read_piece(thread_id: Any, run_id: str, after: int) -> tuple[list[Frame], bool]:
    """The first of these, and whether there are more."""
    found = list(_ordered(_rows_from(thread_id, run_id, after))[: PIECE + 1])
    return _above(after, _frames(found[:PIECE])), len(found) > PIECE


def tail(thread_id: Any, run_id: str, stored: int) -> list[Frame]:
    """The frames of the rows that reach beyond the first `stored` entries (read these entries first)."""
    rows = _rows(thread_id, run_id)
    settled = rows.filter(top_index__lt=stored).order_by("-first_seq")
    last = settled.values_list("first_seq", flat=True).first() or 0
    return _frames(_ordered(rows.filter(first_seq__gt=last)))


def is_known(thread_id: Any, run_id: str, after: int) -> bool:
    """Whether a client that has seen this run up to `after` can go on from there."""
    rows = _rows(thread_id, run_id).order_by("first_seq")
    first = rows.values_list("first_seq", flat=True).first()
    return first is not None and first - 1 <= after <= last_seq(thread_id, run_id)


def _rows(thread_id: Any, run_id: str) -> QuerySet[RunEvent]:
    return RunEvent.objects.filter(thread_id=thread_id, run_id=run_id)


def _rows_from(thread_id: Any, run_id: str, after: int) -> QuerySet[RunEvent]:
    """Those from the one on that holds the frame behind `after`."""
    rows = _rows(thread_id, run_id)
    known = rows.filter(first_seq__lte=after + 1).order_by("-first_seq")
    return rows.filter(first_seq__gte=known.values_list("first_seq", flat=True).first() or 0)


def _ordered(rows: QuerySet[RunEvent]) -> Any:
    return rows.order_by("first_seq").values_list("frames", "run_id", "first_seq")


def _above(after: int, frames: list[Frame]) -> list[Frame]:
    return [frame for frame in frames if frame["seq"] > after]


def _frames(rows: Iterable[Row]) -> list[Frame]:
    """Without those of damaged rows, which Django hands out as the text that they hold."""
    found = list(rows)
    readable = [frames for frames, _, _ in found if _is_readable(frames)]
    if len(readable) < len(found):
        damaged = [f"{run_id} {first_seq}" for frames, run_id, first_seq in found if not _is_readable(frames)]
        logger.warning("event log: unreadable rows are left out: %s", ", ".join(damaged))
    return list(chain.from_iterable(readable))


def _is_readable(frames: Any) -> bool:
    return isinstance(frames, list) and all(
        isinstance(frame, dict) and "type" in frame and isinstance(frame.get("seq"), int) for frame in frames
    )
