"""Names and ids as vendors take them, out of whatever a model made up or another vendor gave."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict

LONGEST = 40
_NOT_IN_A_NAME = re.compile(r"[^a-zA-Z0-9_-]")
_ID = re.compile(rf"[a-zA-Z0-9_-]{{1,{LONGEST}}}")


def fit_name(name: str) -> str:
    """A name such as a tool could have."""
    return _NOT_IN_A_NAME.sub("_", name)[:64] or "unknown"


class CallIds:
    """The ids of the calls of one request, each used once.

    The ids in a transcript may be too long, of strange characters, or used twice. What comes out depends only
    on what stands before, so that the beginning of a longer history stays the same bytes.
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._open: defaultdict[str, list[str]] = defaultdict(list)

    def call(self, call_id: str) -> str:
        """The id to send for a call."""
        fit = call_id if _ID.fullmatch(call_id) else _digest(call_id)
        while fit in self._taken:
            fit = _digest(f"{call_id} {len(self._taken)}")
        self._taken.add(fit)
        self._open[call_id].append(fit)
        return fit

    def result(self, call_id: str) -> str | None:
        """The id to send for the result of the oldest call that waits for one; None: nobody waits for it."""
        return self._open[call_id].pop(0) if self._open[call_id] else None


def _digest(call_id: str) -> str:
    return f"call_{hashlib.sha256(call_id.encode()).hexdigest()[:24]}"
