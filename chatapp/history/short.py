"""One-line forms of arguments and results, for the rows of steps."""

from __future__ import annotations

import json
from typing import Any

from agents.transcript import clean_json

ARGUMENTS_LIMIT = 120
RESULT_LIMIT = 120
READ_LIMIT = 4_000  # more is never parsed for a row


def short_arguments(raw: str) -> str:
    """The one value if there is only one, else the object; what is no JSON object stays as it came."""
    value = _parse(raw)
    if not isinstance(value, dict):
        return one_line(raw, ARGUMENTS_LIMIT)
    if not value:
        return ""
    if len(value) == 1:
        return one_line(_show(next(iter(value.values()))), ARGUMENTS_LIMIT)
    return one_line(_dump(value), ARGUMENTS_LIMIT)


def short_result(output: str) -> str:
    """The first line that says something."""
    for line in output[:READ_LIMIT].splitlines():
        if line.strip():
            return one_line(line, RESULT_LIMIT)
    return ""


def one_line(text: str, limit: int) -> str:
    flat = " ".join(text[:READ_LIMIT].split())
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


def _parse(raw: str) -> Any:
    try:
        # An escape may stand for what no text may hold.
        return clean_json(json.loads(raw)) if len(raw) <= READ_LIMIT else None
    except (ValueError, RecursionError):
        return None


def _show(value: Any) -> str:
    """Words in quotation marks, so that they are told from the page's own; sums, numbers and dates bare."""
    if isinstance(value, str) and not any(char.isalpha() for char in value):
        return value
    return _dump(value)


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
