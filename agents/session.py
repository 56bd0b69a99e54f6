"""A conversation as the engine sees it: an append-only log of finished runs, one segment each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from agents.errors import UserError
from agents.transcript import Entry, clean_text, drop_dangling_tool_calls

MAX_ID_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Segment:
    """One finished run. `meta` is the writer's own JSON, or None."""

    run_id: str
    entries: list[Entry]
    meta: dict[str, Any] | None = None


@runtime_checkable
class Session(Protocol):
    """Where segments are kept. Ids are non-empty strings of up to 200 characters, else UserError."""

    async def segments(self, session_id: str) -> list[Segment]:
        """In the order of their append; empty for an unknown session. The caller may change what it gets."""

    async def load(self, session_id: str) -> list[Entry]:
        """The entries of all segments, as one list."""

    async def append(
        self,
        session_id: str,
        entries: Sequence[Entry],
        *,
        run_id: str | None = None,
        meta: dict[str, Any] | None = None,
    ) -> str:
        """Adds a segment and returns its run id (a fresh one if none is given).

        Idempotent by (session_id, run_id): the first write wins, later ones change nothing.
        """

    async def clear(self, session_id: str) -> None:
        """Forgets the session."""


def require_id(value: object, name: str) -> str:
    """The value, if it can be an id; else UserError."""
    if not isinstance(value, str) or not value:
        raise UserError(f"{name} must be a non-empty string")
    if len(value) > MAX_ID_LENGTH:
        raise UserError(f"{name} is longer than {MAX_ID_LENGTH} characters")
    if clean_text(value) != value:
        raise UserError(f"{name} contains characters that cannot be stored")
    return value


def gone_on(run_id: str) -> UserError:
    """What a restart is told about a run that is not the last of its session."""
    return UserError(
        f"Run {run_id!r} cannot be restarted: its session has gone on.",
        hint="Rewind the session to before it first, or start under another run_id.",
    )


@dataclass(frozen=True, slots=True)
class RewindPoint:
    """Where a rewind cuts: what is before `segment` stays, and of this one the first `keep` entries."""

    segment: int
    keep: int


def rewind_point(lengths: Sequence[int], keep_entries: int) -> RewindPoint | None:
    """The rule of rewind, over the lengths of the segments. None: at or past the end, nothing to cut."""
    if keep_entries < 0:
        raise ValueError("keep_entries must not be negative")
    before = 0
    for number, length in enumerate(lengths):
        if before <= keep_entries < before + length:
            return RewindPoint(number, keep_entries - before)
        before += length
    return None


def rewind_segments(segments: Sequence[Segment], keep_entries: int) -> list[Segment]:
    """What is left. A segment that is cut loses its dangling calls and its meta, and goes when empty."""
    point = rewind_point([len(segment.entries) for segment in segments], keep_entries)
    if point is None:
        return list(segments)
    cut = segments[point.segment]
    kept = drop_dangling_tool_calls(cut.entries[: point.keep])
    truncated = [Segment(cut.run_id, kept)] if kept else []
    return [*segments[: point.segment], *truncated]
