"""What was measured, beside its goal: as a table for people and as JSON for comparison."""

from __future__ import annotations

import json
import os
import platform
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path

from benchmarks.goals import goal_of
from benchmarks.machine import Strain

HEADINGS = ("measure", "case", "figure", "goal", "", "load", "others", "bench", "model")


@dataclass(frozen=True, slots=True)
class Figure:
    """`values` holds one value a repetition; the figure is their median.

    `strain`: what else went on, the worst of the repetitions. Times are in ms unless `unit` says otherwise.
    """

    measure: str
    case: str
    values: Sequence[float]
    strain: Strain
    unit: str = "ms"
    on: str = ""

    @property
    def value(self) -> float:
        return statistics.median(self.values)

    @property
    def verdict(self) -> str:
        """ "" where there is no goal or it is met, else by how much it is missed."""
        goal = goal_of(self.measure, self.case)
        if goal is None or goal.is_met_by(self.value):
            return ""
        return f"{self.value / goal.value:.1f} x" if goal.value else "missed"


def print_table(figures: Iterable[Figure]) -> None:
    for on, group in groupby(figures, key=lambda figure: figure.on):
        print(f"\nOn {on}")
        print_lines([HEADINGS, *map(cells_of, group)])


def print_lines(lines: Sequence[Sequence[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for number, line in enumerate(lines):
        cells = [
            cell.ljust(width) if place < 2 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())
        if number == 0:
            print("-" * (sum(widths) + 2 * len(widths) - 2))
    print(flush=True)


def cells_of(figure: Figure) -> tuple[str, ...]:
    goal, strain = goal_of(figure.measure, figure.case), figure.strain
    return (
        figure.measure,
        figure.case,
        f"{shown(figure.value)} {figure.unit}",
        shown(goal.value) if goal else "",
        figure.verdict,
        *(f"{value:.1f}" for value in (strain.load, strain.others, strain.bench, strain.model)),
    )


def shown(value: float) -> str:
    if value >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def write_json(figures: Sequence[Figure], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    machine = {"python": platform.python_version(), "system": platform.system(), "cores": os.cpu_count()}
    report = {"machine": machine, "figures": [as_dict(figure) for figure in figures]}
    path.write_text(json.dumps(report, indent=2) + "\n")


def as_dict(figure: Figure) -> dict[str, object]:
    goal = goal_of(figure.measure, figure.case)
    told = {"value": figure.value, "goal": goal.value if goal else None, "missed_by": figure.verdict or None}
    return asdict(figure) | told
