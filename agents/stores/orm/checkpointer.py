"""OrmCheckpointer: runs in flight in the Django database, for the engine."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from agents.checkpoint import RunHead, RunSnapshot
from agents.errors import LeaseLost, RunInFlight, UserError
from agents.session import Session, require_id
from agents.stores.orm import checkpoints
from agents.stores.orm.checkpoints import Claimed
from agents.stores.orm.runs import append_unowned
from agents.stores.orm.session import OrmSession
from agents.stores.orm.threads import in_thread
from agents.transcript import Entry

HEARTBEAT_SECONDS = 2.0


class OrmCheckpointer:
    """A Checkpointer that leases and finishes: one owner per run among all processes on the database."""

    heartbeat_every: float | None = HEARTBEAT_SECONDS

    def __init__(self) -> None:
        # The fence of each run that was acquired here; None before its first append made its row.
        self._fences: dict[str, int | None] = {}
        # Those of them that nothing was written to since.
        self._claims: dict[str, Claimed] = {}

    async def append(self, run_id: str, entries: Sequence[Entry], head: RunHead) -> None:
        require_id(run_id, "run_id")
        entries = list(entries)
        self._claims.pop(run_id, None)
        fence = self._fences.get(run_id)
        if fence is not None:
            await in_thread(checkpoints.append, run_id, fence, entries, head)
        elif run_id in self._fences:
            self._fences[run_id] = await in_thread(_start, run_id, entries, head, is_owned=True)
        elif not await in_thread(append_unowned, run_id, entries, head):
            await in_thread(_start, run_id, entries, head, is_owned=False)

    async def load(self, run_id: str) -> RunSnapshot | None:
        snapshot = await in_thread(checkpoints.load_run, require_id(run_id, "run_id"))
        if (
            snapshot is not None
            and self._fences.get(run_id, 0) is None
            and snapshot.head.status != "completed"
        ):
            # Acquired when there was none yet: somebody else began it since, and has it unless they are gone.
            await self._claim(run_id)
            snapshot = await in_thread(checkpoints.load_run, run_id)
        return snapshot

    async def delete(self, run_id: str) -> None:
        self._claims.pop(require_id(run_id, "run_id"), None)
        await in_thread(checkpoints.delete_run, run_id, self._fences.get(run_id))
        if run_id in self._fences:
            self._fences[run_id] = None

    def can_restart(self, session: Session | None) -> bool:
        return session is None or isinstance(session, OrmSession)

    async def restart(
        self, run_id: str, entries: Sequence[Entry], head: RunHead, *, session: Session | None
    ) -> None:
        if run_id not in self._fences or not self.can_restart(session):
            raise UserError(f"run {run_id!r} cannot be restarted here: acquire it first")
        held, in_session = self._fences[run_id], session is not None
        self._fences[run_id] = await in_thread(
            _restart, run_id, held, list(entries), head, in_session=in_session
        )
        self._claims.pop(run_id, None)

    async def acquire(self, run_id: str) -> None:
        require_id(run_id, "run_id")
        if run_id in self._fences:
            raise RunInFlight(run_id)
        self._fences[run_id] = None
        try:
            await self._claim(run_id)
        except BaseException:
            del self._fences[run_id]
            raise

    async def release(self, run_id: str) -> None:
        fence, claimed = self._fences.pop(run_id, None), self._claims.pop(run_id, None)
        with suppress(LeaseLost):
            if claimed is not None:
                await in_thread(checkpoints.give_back, run_id, claimed)
            elif fence is not None:
                await in_thread(checkpoints.release, run_id, fence)

    async def beat(self, run_id: str) -> None:
        fence = self._fences.get(run_id)
        if fence is not None:
            await in_thread(checkpoints.beat, run_id, fence)

    def can_finish(self, session: Session) -> bool:
        return isinstance(session, OrmSession)

    async def finish(
        self,
        run_id: str,
        entries: Sequence[Entry],
        head: RunHead,
        *,
        session: Session,
        meta: dict[str, Any] | None,
        delete: bool,
    ) -> None:
        fence = self._fences.get(run_id)
        if fence is None or not self.can_finish(session):
            raise UserError(f"run {run_id!r} cannot be finished here: acquire it first")
        self._claims.pop(run_id, None)
        await in_thread(checkpoints.finish, run_id, fence, list(entries), head, meta=meta, keep=not delete)
        self._fences[run_id] = None

    async def _claim(self, run_id: str) -> None:
        claimed = await in_thread(_claim, run_id)
        self._fences[run_id] = None if claimed is None else claimed.fence
        if claimed is not None:
            self._claims[run_id] = claimed


def _start(run_id: str, entries: list[Entry], head: RunHead, *, is_owned: bool) -> int:
    owner = checkpoints.process_owner() if is_owned else None
    return checkpoints.start(run_id, head.session_id, entries, head, owner=owner, fence=_new_fence())


def _restart(run_id: str, held: int | None, entries: list[Entry], head: RunHead, *, in_session: bool) -> int:
    owner, fence = checkpoints.process_owner(), _new_fence()
    return checkpoints.restart(run_id, held, entries, head, owner=owner, fence=fence, in_session=in_session)


def _new_fence() -> int:
    """One that nobody had before: a run may be deleted and begin again under its id, and whoever owned it
    then must not be able to write to it."""
    return secrets.randbelow(2**30) + 1


def _claim(run_id: str) -> Claimed | None:
    """None for a run that is not in flight."""
    claimed = checkpoints.claim_for_now(run_id, owner=checkpoints.process_owner())
    if claimed is None and checkpoints.still_in_flight([run_id]):
        raise RunInFlight(run_id)
    return claimed
