"""What an executor is handed."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from agents.checkpoint import RunSnapshot


@dataclass(frozen=True, slots=True)
class RunJob:
    """A run to be driven under the lease `fence`, whose checkpoint is already stored.

    `stored` is the number of its entries, `turns` that of its model turns, `next_seq` the number of its next
    frame; `void` says that text of an earlier attempt is still shown. `snapshot`: what has just been stored,
    so that nobody needs to read it.
    """

    thread_id: UUID
    owner_id: int
    run_id: str
    fence: int
    assistant: str
    model: str
    stored: int
    next_seq: int
    turns: int = 0
    void: bool = False
    snapshot: RunSnapshot | None = None

    @property
    def session_id(self) -> str:
        return str(self.thread_id)
