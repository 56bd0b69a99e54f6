"""Whom a tool works for, and its way to the database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, tzinfo
from threading import BoundedSemaphore
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db import connections

from agents import RunContext

MOST_CONNECTIONS = 8

_connections = BoundedSemaphore(MOST_CONNECTIONS)


@dataclass(frozen=True, slots=True)
class Deps:
    """What a run hands to the tools of the web app. `time_zone`: an IANA name, or "" when it is not known."""

    user_id: int
    thread_id: UUID
    time_zone: str = ""

    def local(self, moment: datetime) -> datetime:
        return moment.astimezone(self.zone)

    @property
    def zone(self) -> tzinfo:
        return ZoneInfo(self.time_zone or "UTC")


def deps_of(ctx: RunContext) -> Deps:
    """TypeError outside the web app: a tool that would not know its user must not guess one."""
    if not isinstance(ctx.deps, Deps):
        raise TypeError("This tool needs chatapp.tools.Deps as the run's deps.")
    return ctx.deps


@contextmanager
def own_connection() -> Iterator[None]:
    """For the body of a tool: each call gets a thread, and what a thread opened has to be closed in it.

    However many calls there are at once, they leave most of the database's connections to others.
    """
    with _connections:
        try:
            yield
        finally:
            connections.close_all()
