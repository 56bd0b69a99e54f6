"""The rule that shortens an old tool output, and says in it how to get the rest."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from agents.transcript import ToolResultEntry

_MARK = re.compile(
    r"\n\[… \d+ more characters; recall_tool_result\(\"[^\n]*\"\) returns the whole output\]\Z"
)


def check_trim(keep_chars: int, keep_runs: int) -> None:
    if keep_chars < 0 or keep_runs < 0:
        raise ValueError("keep_chars and keep_runs must not be negative")


def trimmed(result: ToolResultEntry, keep_chars: int) -> ToolResultEntry | None:
    """The shortened result, or None where it would not get shorter or has been shortened before."""
    if _MARK.search(result.output):
        return None
    output = result.output[:keep_chars] + _mark(result, len(result.output) - keep_chars)
    if len(output) >= len(result.output):
        return None
    return replace(result, output=output, raw=None)


def _mark(result: ToolResultEntry, left_out: int) -> str:
    call_id = json.dumps(result.call_id, ensure_ascii=False)
    return f"\n[… {left_out} more characters; recall_tool_result({call_id}) returns the whole output]"
