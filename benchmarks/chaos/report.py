"""What comes out: a table for people, JSON for machines, and the count of the violations."""

from __future__ import annotations

import json
import os
import platform
import re
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.chaos.ledger import Ledger, Violation
from benchmarks.chaos.options import Options

SHOWN = 12


@dataclass(slots=True)
class Report:
    """`kept`: where logs and rows of a run with violations are."""

    deployment: str
    seed: int
    seconds: float
    faults: dict[str, int]
    counts: dict[str, int]
    violations: list[Violation]
    kept: Path | None = None

    @property
    def name(self) -> str:
        return f"chaos-{'-'.join(re.findall('[a-z0-9]+', self.deployment.lower()))}-{self.seed}"


def report_of(options: Options, deployment: str, ledger: Ledger, *, seconds: float) -> Report:
    prefix = "fault: "
    faults = {k.removeprefix(prefix): n for k, n in ledger.counts.items() if k.startswith(prefix)}
    counts = {k: n for k, n in ledger.counts.items() if not k.startswith(prefix)}
    accepted = Counter(command.name for command in ledger.commands if command.outcome == "accepted")
    counts |= {f"accepted: {name}": number for name, number in accepted.items()}
    counts["messages"] = sum(accepted[name] for name in ("new", "send", "edit"))
    counts["consents"] = sum(
        change.outcome == "accepted" for change in ledger.changes if change.name == "resume"
    )
    return Report(deployment, options.seed, round(seconds, 1), faults, counts, ledger.violations)


def print_report(report: Report) -> None:
    print(f"\n{report.deployment}, seed {report.seed}, {report.seconds:.0f} s")
    print_table("faults", report.faults)
    print_table("what happened", report.counts)
    print_table("violations", dict(Counter(violation.rule for violation in report.violations)) or {"none": 0})
    for violation in report.violations[:SHOWN]:
        print(f"- {violation.rule}: {violation.detail}")
    if len(report.violations) > SHOWN:
        print(f"- and {len(report.violations) - SHOWN} more, in the JSON")
    if report.kept:
        print(f"Logs and rows: {report.kept}")
    print(flush=True)


def print_table(title: str, rows: dict[str, int]) -> None:
    width = max(map(len, [title, *rows]))
    print(f"  {title}")
    print("  " + "-" * (width + 10))
    for name, number in sorted(rows.items()):
        print(f"  {name.ljust(width)}  {number:>8,}")


def write_json(reports: list[Report], folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    seed = reports[0].seed if reports else 0
    path = folder / f"chaos-{seed}.json"
    machine = {"python": platform.python_version(), "system": platform.system(), "cores": os.cpu_count()}
    found = {"machine": machine, "reports": [asdict(report) for report in reports]}
    path.write_text(json.dumps(found, indent=2, default=str, ensure_ascii=False) + "\n")
    return path
