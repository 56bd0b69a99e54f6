"""A RunHead as the columns of its row, and back."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any, cast

from agents.checkpoint import RunHead, RunStatus
from agents.stores.digests import digest
from agents.transcript import clean_text, json_text
from agents.usage import Usage

if TYPE_CHECKING:
    from agents.models import Checkpoint
    from agents.stores.orm.in_flight import Row

logger = logging.getLogger(__name__)

# What nothing is searched by, in one column.
_FACTS = (
    "error",
    "last_input_tokens",
    "pending_handoff",
    "input_checked",
    "done",
    "started_calls",
    "call_started_at",
    "tool_seconds",
    "model",
    "usage_estimated",
    "reasoning_seconds",
)


def facts_text(head: RunHead) -> str:
    facts = {name: getattr(head, name) for name in _FACTS}
    told = {name: value for name, value in facts.items() if value or type(value) is int}
    return json_text({"usage": head.usage.to_dict(), **told})


def head_values(head: RunHead) -> list[Any]:
    """agent_name, status, turns, head, output: the columns that each save writes."""
    return [
        clean_text(head.agent_name),
        head.status,
        head.turns,
        facts_text(head),
        optional_text(head.output),
    ]


def context_values(head: RunHead) -> tuple[str | None, str]:
    """The text of the context state and its digest."""
    text = optional_text(head.context_state)
    return text, "" if text is None else digest(text)


def optional_text(value: Any) -> str | None:
    return None if value is None else json_text(value)


_KINDS: dict[str, Any] = {
    "usage": dict,
    "error": dict | None,
    "started_calls": list,
    "call_started_at": dict,
    "tool_seconds": dict,
}
"""What a damaged row must not put in their place: the run can still be shown and ended."""


def head_of(row: Checkpoint | Row) -> RunHead:
    facts = facts_of(row.head)
    given = {name: facts[name] for name in _FACTS if name in facts}
    return RunHead(
        agent_name=row.agent_name,
        usage=Usage.from_dict(facts.get("usage")),
        turns=row.turns,
        status=cast(RunStatus, row.status),
        output=_read(row.output),
        context_state=_read(row.context_state),
        started_at=row.started_at,
        updated_at=row.updated_at,
        session_id=row.session_id,
        **given,
    )


def facts_of(text: str) -> dict[str, Any]:
    """The facts of a row's `head` column."""
    facts = _read(text)
    if not isinstance(facts, dict):
        return {}
    return {name: value for name, value in facts.items() if isinstance(value, _KINDS.get(name, object))}


def _read(text: str | None) -> Any:
    try:
        return None if text is None else json.loads(text)
    except ValueError:
        # The run can still be shown and ended.
        logger.warning("left out an unreadable part of the head of a run")
        return None
