"""What a save writes, and how a run is finished in its stores. When to save is the loop's decision."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

from agents.cancel import shielded
from agents.checkpoint import Checkpointer, FinishingCheckpointer, RestartingCheckpointer
from agents.errors import LeaseLost, UserError, classify
from agents.runtime.failure import describe, is_cancel, message_of
from agents.runtime.state import RunState
from agents.session import Session

logger = logging.getLogger(__name__)


class CheckpointWriter:
    """Every write that has begun is waited for, also when the run is cancelled in the middle of it."""

    def __init__(
        self, state: RunState, *, checkpointer: Checkpointer | None, session: Session | None, delete: bool
    ) -> None:
        self._state = state
        self._checkpointer = checkpointer
        self._session = session
        self._delete = delete

    async def save(self) -> None:
        """The entries that are not stored yet, and the head."""
        if self._checkpointer:
            await shielded(self._append(self._checkpointer))

    async def restart(self) -> None:
        """The first save of a run that takes the place of the one that has its id."""
        if self._checkpointer:
            await shielded(self._restart(self._checkpointer))

    async def finish(self, meta: dict[str, Any]) -> None:
        """The last entries, the mark, the segment and the deletion: in one transaction where the stores
        can."""
        await shielded(self._finish(meta))

    async def replay(self, meta: dict[str, Any]) -> None:
        """Again what follows `completed`, which heals a crash in between. Both steps are idempotent."""
        await shielded(self._hand_over(meta))

    async def save_end(self, error: BaseException) -> None:
        """How the run ended, and what was whole by then. Never hides the error that ended it."""
        state = self._state
        started = [call_id for call_id in state.head.started_calls if call_id in state.running_calls]
        described = None if is_cancel(error) else describe(error)
        state.update(status=classify(error), error=described, started_calls=started)
        if isinstance(error, LeaseLost) or not state.begun:
            return
        try:
            await self.save()
        except Exception as failure:  # noqa: BLE001 - the border of the terminal save
            logger.warning("the end of run %s was not saved: %s", state.run_id, message_of(failure))

    async def _append(self, checkpointer: Checkpointer) -> None:
        state = self._state
        fresh = state.entries[state.stored :]
        await checkpointer.append(state.run_id, fresh, state.head)
        state.stored += len(fresh)
        state.begun = True

    async def _restart(self, checkpointer: Checkpointer) -> None:
        state, restarter = self._state, checkpointer
        if not isinstance(restarter, RestartingCheckpointer) or not restarter.can_restart(self._session):
            await self._restart_in_steps(checkpointer)
            return
        await restarter.restart(state.run_id, list(state.entries), state.head, session=self._session)
        state.stored = len(state.entries)
        state.begun = True

    async def _restart_in_steps(self, checkpointer: Checkpointer) -> None:
        """The segment goes last, and the old checkpoint comes back if the new one is refused."""
        run_id = self._state.run_id
        old = await checkpointer.load(run_id)
        await checkpointer.delete(run_id)
        try:
            await self._append(checkpointer)
        except UserError:
            if old is not None:
                await checkpointer.append(run_id, old.entries, old.head)
            raise
        await self._drop_segment()

    async def _drop_segment(self) -> None:
        session: Any = self._session
        session_id = self._state.head.session_id
        segments = await session.segments(session_id) if session else []
        if segments and segments[-1].run_id == self._state.run_id:
            await session.rewind(session_id, keep_entries=sum(len(s.entries) for s in segments[:-1]))

    async def _finish(self, meta: dict[str, Any]) -> None:
        if not await self._finish_at_once(meta):
            await self._finish_in_steps(meta)

    async def _finish_at_once(self, meta: dict[str, Any]) -> bool:
        state, session = self._state, self._session
        finisher: object = self._checkpointer
        if not session or not isinstance(finisher, FinishingCheckpointer) or not finisher.can_finish(session):
            return False
        fresh, head = state.entries[state.stored :], replace(state.head, status="completed")
        await finisher.finish(state.run_id, fresh, head, session=session, meta=meta, delete=self._delete)
        state.head = head
        state.stored += len(fresh)
        return True

    async def _finish_in_steps(self, meta: dict[str, Any]) -> None:
        state, checkpointer = self._state, self._checkpointer
        head = replace(state.head, status="completed")
        if checkpointer and state.stored < len(state.entries):
            await self._append(checkpointer)
        if checkpointer:
            await checkpointer.append(state.run_id, [], head)
        state.head = head
        await self._hand_over(meta)

    async def _hand_over(self, meta: dict[str, Any]) -> None:
        state = self._state
        if self._session and state.head.session_id:
            await self._session.append(state.head.session_id, state.entries, run_id=state.run_id, meta=meta)
        if self._checkpointer and self._delete:
            await self._checkpointer.delete(state.run_id)
