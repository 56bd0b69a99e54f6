"""`clock`: what time it is, in any number of places."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

from agents.errors import ToolError
from agents.tools.base import RunContext, tool
from agents.tools.clock.places import find_zone, similar_places, split_places

__all__ = ["MAX_PLACES", "clock", "tell_time"]

MAX_PLACES = 20


def tell_time(places: str, now: datetime) -> str:
    """One line per place: `2026-11-24 21:04 Tuesday · Tokyo (Asia/Tokyo, UTC+09:00)`.

    Raises ToolError when none of the places is known; one unknown among known ones gets a line that says so.
    """
    wanted = split_places(places)
    if len(wanted) > MAX_PLACES:
        raise ToolError(f"At most {MAX_PLACES} places at a time.")
    zones = {place: find_zone(place) for place in wanted}
    if not any(zones.values()):
        raise ToolError("\n".join(unknown(place) for place in wanted) or "No place was named.")
    return "\n".join(
        unknown(place) if zone is None else line(place, zone, now) for place, zone in zones.items()
    )


def line(place: str, zone: tzinfo, now: datetime) -> str:
    local = now.astimezone(zone)
    return f"{local:%Y-%m-%d %H:%M %A} · {place} ({zone_label(zone, local)})"


def zone_label(zone: tzinfo, local: datetime) -> str:
    offset = f"UTC{local.isoformat()[-6:]}"
    return f"{zone}, {offset}" if isinstance(zone, ZoneInfo) else offset


def unknown(place: str) -> str:
    similar = similar_places(place)
    hint = (
        f" Did you mean {' or '.join(similar)}?"
        if similar
        else " Name a city, or a zone such as Europe/Berlin."
    )
    return f"Unknown place: {place}.{hint}"


@tool(repeatable=True)
def clock(ctx: RunContext, place: str = "") -> str:
    """Tell the date and time now, in one place or several.

    Args:
        place: Cities, countries with one time zone, IANA zones (Europe/Berlin) or offsets (UTC+8), commas
            between them. Empty: where the user is, or UTC if that is not known.
    """
    here = getattr(ctx.deps, "time_zone", "") or "UTC"
    return tell_time(place.strip() or here, datetime.now(UTC))
