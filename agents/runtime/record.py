"""What is written about a completed run beside its entries."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from agents.agent import model_name
from agents.runtime.options import RunOptions
from agents.runtime.state import RunState


def segment_meta(state: RunState, options: RunOptions) -> dict[str, Any]:
    """JSON-safe. How long a call took stands in its result; here are only those of the last turn."""
    head = state.head
    meta: dict[str, Any] = {
        "status": "completed",
        "usage": head.usage.to_dict(),
        "model": model_name(state.agent, options.model),
        "assistant": state.agent.name,
        "timing": {"started_at": _iso(head.started_at), "finished_at": _iso(datetime.now(UTC))},
        "finish_reason": state.finish_reason,
        "turns": head.turns,
    }
    optional = {
        "tool_seconds": head.tool_seconds,
        "reasoning_seconds": state.reasoning_seconds,
        "context_state": head.context_state,
        "usage_estimated": state.usage_estimated,
    }
    return meta | {name: value for name, value in optional.items() if value} | (options.meta or {})


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
