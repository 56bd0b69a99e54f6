"""The list of a user's threads: newest first, by day, with a mark for what needs the eye."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from agents.stores.orm import checkpoints
from agents.stores.orm.checkpoints import InFlight
from chatapp.history.cursor import BadCursor
from chatapp.history.days import group_by_day
from chatapp.history.rows import RowState, Sidebar, SidebarRow
from chatapp.lifecycle import RunState, state_of
from chatapp.models import Thread

ROWS = 100
_MARKS: Mapping[RunState, RowState] = {
    "running": "live",
    "waiting": "waiting",
    "interrupted": "interrupted",
    "failed": "failed",
}


def load_sidebar(
    owner: Any, *, selected: UUID | None = None, limit: int = ROWS, before: str | None = None
) -> Sidebar:
    """One page of the list; `before` is the cursor of the page above it. Raises BadCursor."""
    threads = list(recent(owner.pk, before=before)[: limit + 1])
    shown = threads[:limit]
    flights = checkpoints.in_flight_many([thread.session_id for thread in shown])
    rows = [row_of(thread, flights.get(thread.session_id), selected) for thread in shown]
    more = cursor_after(shown[-1]) if len(threads) > limit else None
    return Sidebar(group_by_day(rows, now=timezone.now()), more)


def states_of(owner_id: int) -> list[dict[str, str]]:
    """The threads in flight among the newest of a user, for the sidebar's socket."""
    ids = [str(id_) for id_ in recent(owner_id).values_list("id", flat=True)[:ROWS]]
    flights = checkpoints.in_flight_many(ids)
    return [{"thread": id_, "state": _MARKS[state_of(run)]} for id_, run in flights.items()]


def recent(owner_id: int, *, before: str | None = None) -> QuerySet[Thread]:
    """In the order of the index (owner, -updated_at, -id), from the cursor on."""
    threads = Thread.objects.filter(owner_id=owner_id).order_by("-updated_at", "-id")
    if not before:
        return threads
    at, id_ = read_cursor(before)
    return threads.filter(updated_at__lte=at).exclude(updated_at=at, id__gte=id_)


def row_of(thread: Thread, run: InFlight | None, selected: UUID | None) -> SidebarRow:
    is_selected = thread.id == selected
    return SidebarRow(
        id=thread.id,
        title=thread.title or _("New chat"),
        state=row_state(thread, run, is_selected=is_selected),
        updated_at=thread.updated_at,
        selected=is_selected,
    )


def row_state(thread: Thread, run: InFlight | None, *, is_selected: bool) -> RowState:
    if run:
        return _MARKS[state_of(run)]
    return "unread" if thread.seen_at < thread.updated_at and not is_selected else "idle"


def cursor_after(thread: Thread) -> str:
    return f"{thread.updated_at.isoformat()}~{thread.id}"


def read_cursor(cursor: str) -> tuple[datetime, UUID]:
    at, _sep, id_ = cursor.partition("~")
    try:
        return datetime.fromisoformat(at).astimezone(UTC), UUID(id_)
    except (ValueError, OverflowError) as error:
        raise BadCursor from error
