"""The logs of the processes say nothing of a fault of ours."""

from __future__ import annotations

from pathlib import Path

from benchmarks.chaos.ledger import Ledger

BAD = {
    "Traceback (most recent call last)": "no traceback",
    "database is locked": "never locked",
    "deadlock detected": "never locked",
    "IntegrityError": "no traceback",
    "took too long to shut down": "no traceback",
    "was never awaited": "no traceback",
    "was never retrieved": "no traceback",
}
BEFORE, AFTER = 2, 40


def check_logs(logs: list[Path], ledger: Ledger) -> None:
    for log in logs:
        lines = log.read_text(errors="replace").splitlines()
        until = -1
        for number, line in enumerate(lines):
            rule = next((rule for words, rule in BAD.items() if words in line), None)
            if rule is not None and number > until:
                until = number + AFTER
                ledger.accuse(rule, "\n    ".join([f"{log.name}:{number + 1}", *around(lines, number)]))


def around(lines: list[str], number: int) -> list[str]:
    """The lines from a little before up to where the traceback ends."""
    end = number + 1
    while end < min(len(lines), number + AFTER) and lines[end].startswith((" ", "\t")):
        end += 1
    return lines[max(0, number - BEFORE) : end + 1]
