"""What a run of the bench is asked for: the variables of `make chaos`."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

DEPLOYMENTS = ("sqlite", "postgres", "workers")
RESULTS = Path(__file__).resolve().parents[1] / "results"


@dataclass(frozen=True, slots=True)
class Options:
    """`kills` counts kill -9; other faults come on top. After `seconds` no further fault is begun.
    `pace`: all waits between faults are so many times as long."""

    seed: int
    kills: int = 60
    seconds: float = 900
    pace: float = 1.0
    people: int = 5
    calm_seconds: float = 90
    results: Path = RESULTS


def options_of_environment() -> Options:
    kills = int(os.environ.get("KILLS") or 60)
    return Options(
        seed=int(os.environ.get("SEED") or secrets.randbelow(1_000_000)),
        kills=kills,
        seconds=float(os.environ.get("DURATION") or 120 + 12 * kills),
        pace=float(os.environ.get("PACE") or 1),
        people=int(os.environ.get("PEOPLE") or 5),
    )


def wanted_deployments() -> list[str]:
    """The names in ON; without it all of them."""
    wanted = [name for name in os.environ.get("ON", "").split(",") if name] or list(DEPLOYMENTS)
    if unknown := set(wanted) - set(DEPLOYMENTS):
        raise SystemExit(f"ON: {', '.join(sorted(unknown))} is none of {', '.join(DEPLOYMENTS)}")
    return wanted
