"""Groups of the chat list: Today, Yesterday, Previous 7 days, Previous 30 days, then months. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, timedelta

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from chatapp.history.rows import SidebarGroup, SidebarRow


def group_by_day(rows: Iterable[SidebarRow], *, now: datetime) -> tuple[SidebarGroup, ...]:
    """Groups of rows that come newest first, by the days of the active time zone."""
    today = timezone.localdate(now)
    groups: dict[str, list[SidebarRow]] = {}
    for row in rows:
        groups.setdefault(label_of(timezone.localdate(row.updated_at), today), []).append(row)
    return tuple(SidebarGroup(label, tuple(members)) for label, members in groups.items())


def label_of(day: date, today: date) -> str:
    if day >= today:
        return _("Today")
    if day == today - timedelta(days=1):
        return _("Yesterday")
    if day >= today - timedelta(days=7):
        return _("Previous 7 days")
    if day >= today - timedelta(days=30):
        return _("Previous 30 days")
    # Translators: how the chat list names a month, as a Django date format.
    return date_format(day, _("F Y"))
