"""How a run in flight stands. Pure."""

from __future__ import annotations

from typing import Literal

from agents.stores.orm.checkpoints import InFlight

RunState = Literal["running", "waiting", "interrupted", "failed"]
Ending = Literal["completed", "stopped", "interrupted", "failed"]


def is_live(run: InFlight | None) -> bool:
    """Somebody drives it: its lease is valid."""
    return run is not None and run.live


def state_of(run: InFlight) -> RunState:
    """What a person is told: `failed` where it ended with a reason, `interrupted` where its owner is gone."""
    if run.live:
        return "running"
    if run.head.error is not None and not run.handed_over:
        return "failed"
    return "interrupted"


def ending_of(run: InFlight) -> Ending:
    """How the segment says that a run without an owner ended, when it is folded."""
    if run.head.status == "completed":
        return "completed"
    if run.stop_requested:
        return "stopped"
    return "failed" if state_of(run) == "failed" else "interrupted"
