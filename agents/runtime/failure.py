"""How an error is told: to the caller, in the checkpoint, in the log."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from agents.errors import AgentsError, ProviderError
from agents.transcript import clean_text

logger = logging.getLogger(__name__)

_LONGEST = 2_000


def describe(error: BaseException) -> dict[str, Any]:
    """Type and message, and where there are any hint, status, code and request_id."""
    described: dict[str, Any] = {"type": type(error).__name__, "message": message_of(error)}
    if isinstance(error, AgentsError) and error.hint:
        described["hint"] = error.hint
    if isinstance(error, ProviderError):
        known = {"status": error.status, "code": error.code, "request_id": error.request_id}
        described |= {name: value for name, value in known.items() if value is not None}
    return described


def message_of(error: BaseException) -> str:
    message = clean_text(str(error)) or type(error).__name__
    return message if len(message) <= _LONGEST else message[:_LONGEST] + "…"


def is_cancel(error: BaseException) -> bool:
    """Somebody asked for the end; nothing went wrong."""
    return isinstance(error, asyncio.CancelledError | GeneratorExit)


def log_failure(run_id: str, error: BaseException) -> None:
    """One line for what can be expected; the traceback for a fault of the code."""
    if is_cancel(error):
        logger.info("run %s was cancelled", run_id)
    elif isinstance(error, AgentsError | OSError | TimeoutError):
        logger.warning("run %s ended: %s: %s", run_id, type(error).__name__, message_of(error))
    else:
        logger.error("run %s failed", run_id, exc_info=error)
