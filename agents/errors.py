"""Everything that the engine raises on purpose: one shallow tree, each with a `hint` for who reads it."""

from __future__ import annotations

import asyncio
from typing import Literal


class AgentsError(Exception):
    """The root. `hint` says in one sentence what can be done about it; it may be empty."""

    hint: str = ""

    def __init__(self, message: str = "", *, hint: str = "") -> None:
        super().__init__(message)
        if hint:
            self.hint = hint


class UserError(AgentsError):
    """The caller's mistake. The web app turns it into a 4xx answer; nothing else is turned into one."""


class RunInFlight(UserError):
    """A run is in the way: another unfinished one of the session, or this very one, run by somebody else."""

    def __init__(self, run_id: str, message: str = "", *, hint: str = "") -> None:
        super().__init__(message or f"run {run_id!r} is in flight", hint=hint)
        self.run_id = run_id


class LeaseLost(AgentsError):
    """The run belongs to another owner now, or is gone. Whoever gets this writes nothing more."""


class ProviderError(AgentsError):
    """A model server refused, broke off or could not be reached. `retry_after` is in seconds."""

    def __init__(
        self,
        message: str = "",
        *,
        hint: str = "",
        status: int | None = None,
        code: str | None = None,
        request_id: str | None = None,
        retryable: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.code = code
        self.request_id = request_id
        self.retryable = retryable
        self.retry_after = retry_after


class ContextOverflow(ProviderError):
    """The request is longer than the model's context."""


class StorageError(AgentsError):
    """A store could not be read or written: it is away, locked, or out of room. Nothing is half written."""


class ToolError(AgentsError):
    """Raised by a tool: its text becomes the error result that the model reads."""


class TurnLimitExceeded(AgentsError):
    """The run used all of its `max_turns`."""


class BudgetExceeded(AgentsError):
    """The run used all of its tokens."""


class RunTimeout(AgentsError):
    """The run took longer than its `timeout`."""


class GuardrailTripped(AgentsError):
    """A guardrail refused the input or the answer."""


class OutputInvalid(AgentsError):
    """The answer does not fit the output type, also after the repair prompt."""


_INTERRUPTING = (
    asyncio.CancelledError,
    GeneratorExit,
    KeyboardInterrupt,
    SystemExit,
    TurnLimitExceeded,
    BudgetExceeded,
    RunTimeout,
    LeaseLost,
    StorageError,
    TimeoutError,
    ConnectionError,
)


def classify(error: BaseException) -> Literal["interrupted", "failed"]:
    """How a run ends that this error ended: `interrupted` can go on as it is, `failed` needs a change."""
    if isinstance(error, ProviderError):
        return "interrupted" if error.retryable else "failed"
    if isinstance(error, BaseExceptionGroup):
        ends = {classify(inner) for inner in error.exceptions}
        return "failed" if "failed" in ends else "interrupted"
    return "interrupted" if isinstance(error, _INTERRUPTING) else "failed"
