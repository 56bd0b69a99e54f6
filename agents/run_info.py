"""What instructions, hooks and guardrails are told of the run that asks them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class RunInfo:
    """`turn` is the one that goes on, from 1; 0 before the first. `deps` is what the caller gave to
    Runner."""

    run_id: str
    session_id: str | None
    agent_name: str
    turn: int
    deps: Any = None
