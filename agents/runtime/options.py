"""What a caller may say about a run, beside the agent and the input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

from agents.cancel import CancelToken
from agents.checkpoint import CheckpointOptions
from agents.errors import UserError
from agents.hooks import Hooks
from agents.providers.base import Provider
from agents.runtime.retry import RetryPolicy
from agents.session import Session, require_id


class RunKeywords(TypedDict, total=False):
    """The keyword arguments of Runner's methods; RunOptions says what they mean and what their defaults
    are."""

    session: Session | None
    session_id: str | None
    checkpoint: CheckpointOptions | None
    deps: Any
    max_turns: int
    timeout: float | None
    token_budget: int | None
    tool_budget: int | None
    output_type: Any
    model: str | Provider | None
    settings: dict[str, Any] | None
    hooks: Hooks | None
    notes: Sequence[str]
    meta: dict[str, Any] | None
    user: str | None
    retry: RetryPolicy
    cancel: CancelToken | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """`max_turns`, `token_budget` and `tool_budget` count over resumes too; `timeout` (seconds) is of this
    call alone.

    `model` and `output_type` go before the agent's own, `settings` are laid over them. `notes` are more lines
    for the system prompt, never stored. `meta` is laid over the segment's. `user` names the end user to the
    provider. `cancel` ends the run from any thread.
    """

    session: Session | None = None
    session_id: str | None = None
    checkpoint: CheckpointOptions | None = None
    deps: Any = None
    max_turns: int = 50
    timeout: float | None = None
    token_budget: int | None = None
    tool_budget: int | None = None
    output_type: Any = None
    model: str | Provider | None = None
    settings: dict[str, Any] | None = None
    hooks: Hooks | None = None
    notes: Sequence[str] = ()
    meta: dict[str, Any] | None = None
    user: str | None = None
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    cancel: CancelToken | None = None

    def __post_init__(self) -> None:
        if self.session_id is not None:
            require_id(self.session_id, "session_id")
        elif self.session is not None:
            raise UserError("A session needs a session_id.")
        if self.max_turns < 1:
            raise UserError("max_turns must be at least 1.")
        if self.timeout is not None and self.timeout <= 0:
            raise UserError("timeout must be above zero.")
