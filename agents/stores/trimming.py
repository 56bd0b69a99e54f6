"""The rule that shortens an old tool output, and says in it how to get the rest."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from agents.stores.digests import digest
from agents.transcript import ToolResultEntry, json_text

# The second wording is that of outputs which were shortened before there were digests.
_MARK = re.compile(
    r"\n\[… \d+ more characters; (?:the whole output is archived under \"[^\n]*\", digest [0-9a-f]+"
    r"|recall_tool_result\(\"[^\n]*\"\) returns the whole output)\]\Z"
)
_SHOWN_OF_DIGEST = 12


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


def archive_digest(result: ToolResultEntry) -> str:
    """Of call id and output: what tells the archived outputs of one session apart, since a call id is unique
    within its run only."""
    return digest(json_text([result.call_id, result.output]))


def _mark(result: ToolResultEntry, left_out: int) -> str:
    call_id = json.dumps(result.call_id, ensure_ascii=False)
    archived = f"archived under {call_id}, digest {archive_digest(result)[:_SHOWN_OF_DIGEST]}"
    return f"\n[… {left_out} more characters; the whole output is {archived}]"
