"""What the model must know and no transcript says: calls that a stop or crash cut off after they had
started."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from agents.session import Segment

_SEGMENTS = 10
_ARGUMENTS = 500


def dropped_call_notes(segments: Sequence[Segment]) -> list[str]:
    """One note per call that had started and was dropped when one of the last runs was ended, oldest
    first."""
    recent = segments[-_SEGMENTS:]
    return [_note(call) for segment in recent for call in _dropped(segment) if call.get("started")]


def _dropped(segment: Segment) -> Iterable[dict[str, Any]]:
    calls = (segment.meta or {}).get("dropped_calls")
    return (call for call in calls if isinstance(call, dict)) if isinstance(calls, list) else ()


def _note(call: dict[str, Any]) -> str:
    arguments = str(call.get("arguments", ""))
    shown = arguments[:_ARGUMENTS] + ("…" if len(arguments) > _ARGUMENTS else "")
    return (
        f"An earlier call of {call.get('name', 'a tool')} with {shown or 'no arguments'} "
        "was cut off while it ran. It may have taken effect: check before you repeat it."
    )
