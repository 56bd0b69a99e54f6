"""OrmSession: the sessions of the Django database, for the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agents.session import Segment
from agents.stores.orm import sessions
from agents.stores.orm.threads import in_thread
from agents.transcript import Entry


class OrmSession:
    """A Session whose segments are rows. All instances are the same."""

    async def segments(self, session_id: str) -> list[Segment]:
        return await in_thread(sessions.segments, session_id)

    async def load(self, session_id: str) -> list[Entry]:
        return await in_thread(sessions.load, session_id)

    async def append(
        self,
        session_id: str,
        entries: Sequence[Entry],
        *,
        run_id: str | None = None,
        meta: dict[str, Any] | None = None,
    ) -> str:
        return await in_thread(sessions.append_segment, session_id, list(entries), run_id=run_id, meta=meta)

    async def clear(self, session_id: str) -> None:
        """A run of it that still goes on loses its lease."""
        await in_thread(sessions.delete_session, session_id)

    async def rewind(self, session_id: str, *, keep_entries: int) -> int:
        """Keeps the first entries; returns how many the flat view lost. See `sessions.rewind`."""
        return await in_thread(sessions.rewind, session_id, keep_entries)

    async def trim_tool_results(self, session_id: str, *, keep_chars: int = 400, keep_runs: int = 1) -> int:
        """Shortens the outputs of all runs but the last ones; how many that were."""
        return await in_thread(
            sessions.trim_tool_results, session_id, keep_chars=keep_chars, keep_runs=keep_runs
        )

    async def archived_result(self, session_id: str, call_id: str, *, digest: str = "") -> str | None:
        """The whole output of a call of this session that was shortened. Where the call id was used again:
        the newest, or the one whose digest begins like this."""
        return await in_thread(sessions.archived_result, session_id, call_id, digest=digest)
