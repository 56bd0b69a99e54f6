"""How many threads stand, in few queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Sum

from agents.models import Segment
from agents.stores.orm import checkpoints
from agents.stores.orm.checkpoints import InFlight
from chatapp.history.reading import status_of
from chatapp.history.turns import ThreadStatus


@dataclass(frozen=True, slots=True)
class Standing:
    status: ThreadStatus = "idle"
    turns: int = 0
    entries: int = 0


def standings_of(session_ids: Sequence[str]) -> dict[str, Standing]:
    """Status and counts of these sessions, the runs in flight included. Two queries."""
    flights = checkpoints.in_flight_many(session_ids)
    segments = Segment.objects.filter(session_id__in=session_ids).values_list("session_id")
    stored = {id_: (turns, entries) for id_, turns, entries in segments.annotate(Count("id"), Sum("length"))}
    return {id_: standing(stored.get(id_, (0, 0)), flights.get(id_)) for id_ in session_ids}


def standing(stored: tuple[int, int], run: InFlight | None) -> Standing:
    turns, entries = stored
    if run is None:
        return Standing("idle", turns, entries)
    return Standing(status_of(run), turns + 1, entries + run.next_index)
