"""Checks that may refuse what goes into a run, and what comes out of it."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, TypeVar

from agents.errors import GuardrailTripped
from agents.run_info import RunInfo
from agents.transcript import InputEntry

T = TypeVar("T")

Verdict = str | None
"""The reason for refusing, or None."""

InputGuardrail = Callable[[RunInfo, Sequence[InputEntry]], Verdict | Awaitable[Verdict]]
"""Sees the run's own input after it is stored and before any model is called. Once it has passed it is not
asked again."""

OutputGuardrail = Callable[[RunInfo, Any], Verdict | Awaitable[Verdict]]
"""Sees the final output before it is stored. What it refuses is withdrawn and never stored as an answer."""


async def check_guardrails(
    guardrails: Iterable[Callable[[RunInfo, T], Verdict | Awaitable[Verdict]]], run: RunInfo, value: T
) -> None:
    """Ask them in order; GuardrailTripped carries the first reason given."""
    for guardrail in guardrails:
        verdict = guardrail(run, value)
        reason = await verdict if inspect.isawaitable(verdict) else verdict
        if reason is not None:
            raise GuardrailTripped(reason or "A guardrail refused this.")
