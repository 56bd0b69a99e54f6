"""The run in flight: its own entries, which are only appended, and a small head, which is overwritten."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol, get_args, runtime_checkable

from agents.errors import UserError
from agents.session import Session, require_id
from agents.transcript import Entry
from agents.usage import Usage

RunStatus = Literal["running", "interrupted", "completed", "failed"]
IfRunExists = Literal["resume", "restart", "fail", "resume_only"]


@dataclass(frozen=True, slots=True)
class RunHead:
    """Where a run stands. JSON, and bounded in size: a save must cost the same after 10 and 10,000 entries.

    `started_calls`, `call_started_at` (Unix time) and `tool_seconds` speak of the newest turn only (what a
    call of an earlier one took is in its result). `done`: the final text is stored, there is nothing left to
    do but to complete. `input_checked`: the input guardrails have passed. `pending_handoff`: the agent that a
    handoff named which has not been applied yet. `model`, `usage_estimated` and the newest of
    `reasoning_seconds` (by the index of their entries) are there for the record of a run that does not
    complete.
    `started_at` and `updated_at` are set by the store where they are None.
    """

    agent_name: str
    usage: Usage = field(default_factory=Usage)
    turns: int = 0
    status: RunStatus = "running"
    output: Any = None
    error: dict[str, Any] | None = None
    last_input_tokens: int | None = None
    context_state: dict[str, Any] | None = None
    pending_handoff: str | None = None
    started_at: datetime | None = None
    updated_at: datetime | None = None
    session_id: str | None = None
    input_checked: bool = False
    done: bool = False
    started_calls: list[str] = field(default_factory=list)
    call_started_at: dict[str, float] = field(default_factory=dict)
    tool_seconds: dict[str, float] = field(default_factory=dict)
    model: str = ""
    usage_estimated: bool = False
    reasoning_seconds: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunSnapshot:
    """A run as it was stored: its own entries (not the session's) and its head."""

    run_id: str
    entries: list[Entry]
    head: RunHead

    @classmethod
    def from_parts(cls, run_id: str, entries: Sequence[Entry], head: RunHead) -> RunSnapshot:
        return cls(require_id(run_id, "run_id"), list(entries), head)


@runtime_checkable
class Checkpointer(Protocol):
    """Where runs in flight are kept. A run id is one key for all sessions."""

    async def append(self, run_id: str, entries: Sequence[Entry], head: RunHead) -> None:
        """Adds the entries behind those stored and replaces the head, both or neither.

        The first append of a run makes it. RunInFlight (a UserError) if the session of the head has another
        unfinished run, or if somebody else runs this one. LeaseLost if it was ours and is not any more.
        """

    async def load(self, run_id: str) -> RunSnapshot | None: ...

    async def delete(self, run_id: str) -> None:
        """Idempotent. What was handed over to a session stays there."""


@runtime_checkable
class LeasingCheckpointer(Protocol):
    """A checkpointer that lets one caller at a time run a run.

    `acquire` comes before the first look at the stored run, also when there is none yet: its lease then
    begins with its first append. An append without `acquire` takes no lease (the run is stored, but nobody
    runs it).
    """

    @property
    def heartbeat_every(self) -> float | None:
        """Seconds between two beats. None: somebody else keeps the lease alive, or it never ends."""

    async def acquire(self, run_id: str) -> None:
        """RunInFlight if another live owner has it. An interrupted or failed run is running from now on."""

    async def release(self, run_id: str) -> None:
        """Ends the lease. A run that nothing was written to since `acquire` is again as it was found.

        Harmless when there is none, or when it was lost.
        """

    async def beat(self, run_id: str) -> None:
        """Keeps the lease alive; LeaseLost when it is another's."""


@runtime_checkable
class FinishingCheckpointer(Protocol):
    """A checkpointer that can write the end of a run as one transaction."""

    def can_finish(self, session: Session) -> bool:
        """Whether this session's rows can be written together with the checkpoint's."""

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
        """The last save, the segment under `head.session_id`, and the deletion if asked: all or nothing."""


@runtime_checkable
class RestartingCheckpointer(Protocol):
    """A checkpointer that can put a new run in the place of the one that has its id, in one step."""

    def can_restart(self, session: Session | None) -> bool:
        """Whether this session's rows can be written together with the checkpoint's."""

    async def restart(
        self, run_id: str, entries: Sequence[Entry], head: RunHead, *, session: Session | None
    ) -> None:
        """The old run goes, with its segment under `head.session_id` if a session is given; the new one has
        its first save: all or nothing.

        UserError if its segment is not the session's last; RunInFlight as from `append`.
        """


@dataclass(frozen=True, slots=True)
class CheckpointOptions:
    """How a run is kept, and what happens when its id is there already.

    `resume` continues it (a completed one is replayed) or starts it; `resume_only` never starts one;
    `restart` deletes it and starts again; `fail` refuses it. `resume_from` continues a snapshot that the
    caller holds; without a checkpointer nothing is saved then.
    """

    checkpointer: Checkpointer | None = None
    run_id: str = ""
    if_run_exists: IfRunExists = "resume"
    delete_on_success: bool = False
    resume_from: RunSnapshot | None = None

    def __post_init__(self) -> None:
        if self.if_run_exists not in get_args(IfRunExists):
            raise UserError(
                f"unknown if_run_exists {self.if_run_exists!r}",
                hint=f"one of: {', '.join(get_args(IfRunExists))}",
            )
        if self.resume_from is None:
            self._check_fresh()
        else:
            self._check_resumed(self.resume_from)
        if not self.run_id.strip():
            raise UserError("run_id must not be blank")

    def _check_fresh(self) -> None:
        if self.checkpointer is None:
            raise UserError("a checkpoint needs a checkpointer, or a snapshot as resume_from")
        require_id(self.run_id, "run_id")

    def _check_resumed(self, snapshot: RunSnapshot) -> None:
        if self.if_run_exists in ("restart", "fail"):
            raise UserError(f"if_run_exists={self.if_run_exists!r} contradicts resume_from")
        if self.checkpointer is None and self.delete_on_success:
            raise UserError("delete_on_success needs a checkpointer")
        if self.run_id and self.run_id != snapshot.run_id:
            raise UserError(f"run_id {self.run_id!r} is not the snapshot's {snapshot.run_id!r}")
        object.__setattr__(self, "run_id", snapshot.run_id)
