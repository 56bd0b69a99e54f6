"""The logs of the processes say nothing of a fault of ours."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from benchmarks.chaos.ledger import Ledger

SLOW = "took too long to shut down"
BAD = {
    "Traceback (most recent call last)": "no traceback",
    "database is locked": "never locked",
    "deadlock detected": "never locked",
    "IntegrityError": "no traceback",
    SLOW: "no traceback",
    "was never awaited": "no traceback",
    "was never retrieved": "no traceback",
}
BEFORE, AFTER = 2, 40
AFTERMATH = 3.0
Pauses = Sequence[tuple[float, float]]


def check_log(log: Path, pauses: Pauses, ledger: Ledger) -> None:
    """`pauses`: when the process stood still. To one that wakes up everything has taken long."""
    lines = log.read_text(errors="replace").splitlines()
    until = -1
    for number, line in enumerate(lines):
        words = next((words for words in BAD if words in line), None)
        if words is None or number <= until or (words == SLOW and is_waking_up(line, pauses)):
            continue
        until = number + AFTER
        ledger.accuse(BAD[words], "\n    ".join([f"{log.name}:{number + 1}", *around(lines, number)]))


def is_waking_up(line: str, pauses: Pauses) -> bool:
    said_at = datetime.fromisoformat(line.split(maxsplit=1)[0]).timestamp()
    return any(began <= said_at <= ended + AFTERMATH for began, ended in pauses)


def around(lines: list[str], number: int) -> list[str]:
    """The lines from a little before up to where the traceback ends."""
    end = number + 1
    while end < min(len(lines), number + AFTER) and lines[end].startswith((" ", "\t")):
        end += 1
    return lines[max(0, number - BEFORE) : end + 1]
