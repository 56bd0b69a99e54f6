"""What Linux knows of processes and of the machine: CPU time, memory, bytes written, who else is busy."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
IDLE, WAITING = 3, 4  # columns of /proc/stat


@dataclass(frozen=True, slots=True)
class Strain:
    """Cores that were busy: with the bench itself, the fake model, and what is none of our business."""

    load: float
    others: float
    bench: float
    model: float

    def worst(self, other: Strain) -> Strain:
        return Strain(
            max(self.load, other.load),
            max(self.others, other.others),
            max(self.bench, other.bench),
            max(self.model, other.model),
        )


def cpu_seconds(pid: int) -> float:
    """User and system time of the process; 0 where it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory(pid: int) -> int:
    """Bytes in RAM."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE


def written(pid: int) -> int:
    """Bytes that the process has handed to files (what it sends over sockets does not count)."""
    lines = dict(line.split(": ") for line in Path(f"/proc/{pid}/io").read_text().splitlines())
    return int(lines["wchar"])


def open_files(pid: int, path: Path) -> int:
    """How often the process has this file open."""
    links = Path(f"/proc/{pid}/fd").iterdir()
    return sum(_target(link) == str(path) for link in links)


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:
        return ""


def busy_seconds() -> float:
    """CPU time of all processes of the machine."""
    columns = [int(number) for number in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    return (sum(columns) - columns[IDLE] - columns[WAITING]) / TICKS


class Window:
    """From its making to `close`: what our processes used, and what was left of the machine."""

    def __init__(self, *, server: Iterable[int], model: int, database: Iterable[int] = ()) -> None:
        self._pids = {"server": [*server], "model": [model], "database": [*database], "bench": [os.getpid()]}
        self._began = time.monotonic()
        self._busy = busy_seconds()
        self._cpu = self._now()

    def _now(self) -> dict[str, float]:
        return {name: sum(map(cpu_seconds, pids)) for name, pids in self._pids.items()}

    def close(self) -> None:
        now = self._now()
        self.seconds = time.monotonic() - self._began
        self.cpu = {name: now[name] - before for name, before in self._cpu.items()}
        others = busy_seconds() - self._busy - sum(self.cpu.values())
        self.strain = Strain(
            load=os.getloadavg()[0],
            others=max(0.0, others / self.seconds),
            bench=self.cpu["bench"] / self.seconds,
            model=self.cpu["model"] / self.seconds,
        )
