"""When a provider is asked again, and how long that waits."""

from __future__ import annotations

import random
from dataclasses import dataclass

from agents.errors import ProviderError


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """`attempts` in all; the wait doubles from `first_wait` up to `longest_wait` seconds, less a random part
    of a half.

    A server that asks for a wait gets it, unless it is longer than `patience`.
    """

    attempts: int = 4
    first_wait: float = 0.5
    longest_wait: float = 20.0
    patience: float = 60.0

    def wait(self, attempt: int, error: Exception) -> float | None:
        """Seconds to wait after this attempt (from 1) failed so; None: do not ask again."""
        if attempt >= self.attempts or not is_transient(error):
            return None
        asked_for = error.retry_after if isinstance(error, ProviderError) else None
        if asked_for is not None:
            return asked_for if asked_for <= self.patience else None
        longest: float = min(self.longest_wait, self.first_wait * 2 ** (attempt - 1))
        return longest * random.uniform(0.5, 1)  # noqa: S311 - only spreads the load


def is_transient(error: BaseException) -> bool:
    """Whether the same request may well succeed in a moment."""
    if isinstance(error, ProviderError):
        return error.retryable
    return isinstance(error, ConnectionError | TimeoutError)
