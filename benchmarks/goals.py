"""What we want to be, for each measure and case."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Goal:
    """A value that is not to be exceeded; `is_floor`: not to be missed from below."""

    value: float
    is_floor: bool = False

    def is_met_by(self, value: float) -> bool:
        return value >= self.value if self.is_floor else value <= self.value


CHUNK = "chunk → client, p95"
FIRST = "first token, p50"
TROUBLE = "refused, failed or lost"
CPU = "CPU per 1,000 tokens"
SHORT = "short runs, 16 at once"
IDLE = "send → first token, idle"
OPEN = "open a thread"
SIZE = "size of its page"
LIST = "list of threads"
WRITTEN = "written per 1,000 tokens"
MEMORY = "memory per 100 idle sockets"
STOP = "Stop → provider's connection closed"
CONNECTIONS = "more database connections"
READS = "database reads per second and tab"

GOALS: dict[tuple[str, str], Goal] = {
    (CHUNK, "1 run"): Goal(60),
    (CHUNK, "50 runs"): Goal(75),
    (CHUNK, "100 runs"): Goal(350),
    (FIRST, "50 runs"): Goal(100),
    (FIRST, "100 runs"): Goal(1000),
    **{(TROUBLE, case): Goal(0) for case in ("1 run", "10 runs", "50 runs", "100 runs", "20 tabs")},
    (CPU, "1 run"): Goal(1.4),
    (CPU, "50 runs"): Goal(0.35),
    (SHORT, "no tool"): Goal(60, is_floor=True),
    (SHORT, "one tool"): Goal(45, is_floor=True),
    (IDLE, ""): Goal(25),
    **{(OPEN, f"{entries} entries"): Goal(30) for entries in ("1,000", "5,000")},
    **{(SIZE, f"{entries} entries"): Goal(60) for entries in ("1,000", "5,000")},
    (LIST, "1,000 threads"): Goal(15),
    **{(WRITTEN, f"thread of {entries} entries"): Goal(0.5) for entries in ("10", "2,000")},
    (MEMORY, ""): Goal(5),
    (STOP, ""): Goal(100),
    (CONNECTIONS, "200 idle sockets"): Goal(0),
    (READS, "20 tabs"): Goal(1),
}


def goal_of(measure: str, case: str) -> Goal | None:
    return GOALS.get((measure, case))
