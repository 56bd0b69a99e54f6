"""The run engine. Usable without Django and without the web app; imports are lazy."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agents.agent import Agent
    from agents.checkpoint import CheckpointOptions
    from agents.errors import UserError
    from agents.runner import Runner
    from agents.tools.base import RunContext, tool

__all__ = ["Agent", "CheckpointOptions", "RunContext", "Runner", "UserError", "tool"]

_HOMES = {
    "Agent": "agents.agent",
    "CheckpointOptions": "agents.checkpoint",
    "RunContext": "agents.tools.base",
    "Runner": "agents.runner",
    "UserError": "agents.errors",
    "tool": "agents.tools.base",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
