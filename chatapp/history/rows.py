"""What the list of chats shows, as plain data for the templates."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

RowState = Literal["idle", "live", "waiting", "interrupted", "failed", "unread"]


@dataclass(frozen=True, slots=True)
class SidebarRow:
    id: UUID
    title: str
    state: RowState
    updated_at: datetime
    selected: bool = False


@dataclass(frozen=True, slots=True)
class SidebarGroup:
    label: str
    rows: tuple[SidebarRow, ...]


@dataclass(frozen=True, slots=True)
class Sidebar:
    groups: tuple[SidebarGroup, ...] = ()
    before: str | None = None  # cursor of the next older rows
