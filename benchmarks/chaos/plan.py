"""What goes wrong, where and for how long: drawn from the seed before anything starts."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "kill -9",
    "kill -9 at start",
    "SIGTERM",
    "SIGTERM, kill -9",
    "SIGSTOP over a lease",
    "SIGSTOP",
    "database stalls",
    "database cut off",
    "Redis away",
]
LEASE_SECONDS = 10.0
KILLS: tuple[Kind, ...] = ("kill -9", "kill -9 at start", "SIGTERM, kill -9")
OTHERS: dict[Kind, int] = {"SIGTERM": 6, "SIGSTOP": 8, "SIGSTOP over a lease": 14}
"""One of each for so many kills."""
AROUND: dict[Kind, int] = {"database stalls": 15, "database cut off": 15, "Redis away": 25}


@dataclass(frozen=True, slots=True)
class Fault:
    """`wait`: seconds from when its target is up (`at start`: from its start). `lasts`: until it is over."""

    kind: Kind
    wait: float
    lasts: float


@dataclass(frozen=True, slots=True)
class Plan:
    """The faults of each process in their order, and those of what stands around the processes."""

    of_process: dict[str, list[Fault]]
    around: list[Fault]

    @property
    def kills(self) -> int:
        return sum(fault.kind in KILLS for faults in self.of_process.values() for fault in faults)


def plan_of(
    seed: int, kills: int, processes: Sequence[str], around: Sequence[Kind], *, pace: float = 1.0
) -> Plan:
    """The same for the same arguments."""
    dice = random.Random(f"{seed}/faults")
    kinds: list[Kind] = [_kill(dice) for _ in range(kills)]
    for kind, share in OTHERS.items():
        kinds += [kind] * round(kills / share)
    dice.shuffle(kinds)
    faults = [_fault(kind, dice, pace) for kind in kinds]
    width = len(processes)
    return Plan(
        {name: faults[number::width] for number, name in enumerate(processes)},
        _around(kills, around, dice),
    )


def _kill(dice: random.Random) -> Kind:
    return dice.choices(KILLS, (80, 12, 8))[0]


def _fault(kind: Kind, dice: random.Random, pace: float) -> Fault:
    wait, lasts = dice.uniform(0.3, 5), dice.choice((0, 0, 0.3, 1, 2))
    if kind == "kill -9 at start":
        wait = dice.uniform(0.1, 2)
    elif kind == "kill -9" and dice.random() < 0.05:
        lasts = LEASE_SECONDS + dice.uniform(0.5, 4)
    elif kind == "SIGSTOP":
        lasts = dice.uniform(0.5, 4)
    elif kind == "SIGSTOP over a lease":
        lasts = LEASE_SECONDS + dice.uniform(0.5, 5)
    return Fault(kind, round(wait * pace, 3), round(lasts, 3))


def _around(kills: int, kinds: Sequence[Kind], dice: random.Random) -> list[Fault]:
    chosen = [kind for kind in kinds for _ in range(round(kills / AROUND[kind]))]
    dice.shuffle(chosen)
    lasts = {"database stalls": (1, 4), "database cut off": (0, 2), "Redis away": (3, 30)}
    return [
        Fault(kind, round(dice.uniform(8, 25), 3), round(dice.uniform(*lasts[kind]), 3)) for kind in chosen
    ]
