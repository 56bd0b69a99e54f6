"""InMemorySession."""

from __future__ import annotations

import json
import uuid
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agents.session import Segment, gone_on, require_id, rewind_point, rewind_segments
from agents.stores.memory.checkpointer import InMemoryCheckpointer
from agents.stores.trimming import archive_digest, check_trim, trimmed
from agents.transcript import Entry, ToolResultEntry, entry_from_json, entry_to_json, json_text


@dataclass(slots=True)
class _Stored:
    """A segment as JSON, so that nobody outside shares anything with it."""

    run_id: str
    entries: list[str]
    meta: str | None

    @classmethod
    def of(cls, segment: Segment) -> _Stored:
        meta = None if segment.meta is None else json_text(segment.meta)
        return cls(segment.run_id, [entry_to_json(entry) for entry in segment.entries], meta)

    def read(self) -> Segment:
        meta = None if self.meta is None else json.loads(self.meta)
        return Segment(self.run_id, [entry_from_json(text) for text in self.entries], meta)


class InMemorySession:
    """A Session. Given the checkpointer, rewind and clear also remove the checkpoints that they must."""

    def __init__(self, checkpointer: InMemoryCheckpointer | None = None) -> None:
        self._sessions: dict[str, list[_Stored]] = {}
        # By session and call id, and then by digest, the newest last.
        self._archive: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
        self._checkpointer = checkpointer

    async def segments(self, session_id: str) -> list[Segment]:
        return [stored.read() for stored in self._stored(session_id)]

    async def load(self, session_id: str) -> list[Entry]:
        return [entry for segment in await self.segments(session_id) for entry in segment.entries]

    async def append(
        self,
        session_id: str,
        entries: Sequence[Entry],
        *,
        run_id: str | None = None,
        meta: dict[str, Any] | None = None,
    ) -> str:
        stored = self._stored(session_id)
        run_id = str(uuid.uuid4()) if run_id is None else require_id(run_id, "run_id")
        if all(segment.run_id != run_id for segment in stored):
            self._sessions[session_id] = [*stored, _Stored.of(Segment(run_id, list(entries), meta))]
        return run_id

    async def clear(self, session_id: str) -> None:
        self._stored(session_id)
        self._sessions.pop(session_id, None)
        for key in [key for key in self._archive if key[0] == session_id]:
            del self._archive[key]
        if self._checkpointer is not None:
            self._checkpointer.forget_session(session_id)

    async def rewind(self, session_id: str, *, keep_entries: int) -> int:
        """Keeps the first entries; returns how many the flat view lost. ValueError for a negative number."""
        stored = self._stored(session_id)
        point = rewind_point([len(segment.entries) for segment in stored], keep_entries)
        if point is None:
            return 0
        left = rewind_segments(await self.segments(session_id), keep_entries)
        lost = sum(len(s.entries) for s in stored) - sum(len(s.entries) for s in left)
        self._sessions[session_id] = [_Stored.of(segment) for segment in left]
        if self._checkpointer is not None:
            for segment in stored[point.segment :]:
                self._checkpointer.forget_run(session_id, segment.run_id)
        return lost

    def check_last(self, session_id: str, run_id: str) -> None:
        """UserError if the session has this run, but not as its last."""
        if any(segment.run_id == run_id for segment in self._stored(session_id)[:-1]):
            raise gone_on(run_id)

    def drop_last(self, session_id: str, run_id: str) -> None:
        """The last segment goes if it is this run's; its checkpoint stays."""
        stored = self._stored(session_id)
        if stored and stored[-1].run_id == run_id:
            self._sessions[session_id] = stored[:-1]

    async def trim_tool_results(self, session_id: str, *, keep_chars: int = 400, keep_runs: int = 1) -> int:
        """Shortens the outputs of all runs but the last ones; how many that were."""
        check_trim(keep_chars, keep_runs)
        stored = self._stored(session_id)
        old = stored[: len(stored) - keep_runs] if keep_runs else stored
        return sum(self._trim(session_id, segment, keep_chars) for segment in old)

    async def archived_result(self, session_id: str, call_id: str, *, digest: str = "") -> str | None:
        """The whole output of a call of this session that was shortened. Where the call id was used again:
        the newest, or the one whose digest begins like this."""
        archived = self._archive.get((session_id, call_id), {})
        return next((archived[known] for known in reversed(archived) if known.startswith(digest)), None)

    def _stored(self, session_id: str) -> list[_Stored]:
        return self._sessions.get(require_id(session_id, "session_id"), [])

    def _trim(self, session_id: str, segment: _Stored, keep_chars: int) -> int:
        count = 0
        for place, text in enumerate(segment.entries):
            entry = entry_from_json(text)
            short = trimmed(entry, keep_chars) if isinstance(entry, ToolResultEntry) else None
            if isinstance(entry, ToolResultEntry) and short is not None:
                self._archive[session_id, entry.call_id].setdefault(archive_digest(entry), entry.output)
                segment.entries[place] = entry_to_json(short)
                count += 1
        return count
