"""Results as a table for people and as JSON for comparison."""

import json
import os
import platform
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement: `values` by name, each name with its unit."""

    bench: str
    case: str
    values: dict[str, float]


def print_table(rows: list[Row]) -> None:
    for bench, group in groupby(rows, key=lambda row: row.bench):
        print_group(bench, list(group))


def print_group(bench: str, rows: list[Row]) -> None:
    names = list(rows[0].values)
    lines = [[bench, *names]] + [[row.case, *(shown(row.values[name]) for name in names)] for row in rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for number, line in enumerate(lines):
        first, *others = (
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        print("  ".join([first, *others]))
        if number == 0:
            print("-" * (sum(widths) + 2 * len(names)))
    print(flush=True)


def shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:,.2f}"


def write_json(rows: list[Row], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    machine = {"python": platform.python_version(), "system": platform.system(), "cores": os.cpu_count()}
    report = {"machine": machine, "rows": [asdict(row) for row in rows]}
    path.write_text(json.dumps(report, indent=2) + "\n")
