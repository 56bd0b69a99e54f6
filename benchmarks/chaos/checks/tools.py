"""What a tool did to the world happens once, and again only where a person has said so."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from benchmarks.chaos.assistant import UNREPEATABLE
from benchmarks.chaos.ledger import Change, Ledger

INFINITE = float("inf")


@dataclass(frozen=True, slots=True)
class Effect:
    tool: str
    thread: str
    run_id: str
    call_id: str
    at: float
    pid: int


def effects_in(path: Path) -> list[Effect]:
    if not path.exists():
        return []
    rows = (line.split() for line in path.read_text().splitlines())
    return [Effect(tool, thread, run, call, float(at), int(pid)) for tool, thread, run, call, at, pid in rows]


def check_effects(effects: list[Effect], ledger: Ledger) -> None:
    of_call: dict[tuple[str, str], list[Effect]] = defaultdict(list)
    for effect in effects:
        if effect.tool in UNREPEATABLE:
            of_call[effect.run_id, effect.call_id].append(effect)
    for (run_id, call_id), happened in of_call.items():
        consents = ledger.changes_of(happened[0].thread, "resume")
        allowed = 1 + consents_between(happened, consents)
        if len(happened) > allowed:
            times = ", ".join(f"{effect.at:.3f} by {effect.pid}" for effect in happened)
            ledger.accuse(
                "effect once",
                f"{happened[0].tool} {call_id} of run {run_id} happened {len(happened)} times, "
                f"{allowed} allowed: {times}",
            )


def consents_between(happened: list[Effect], consents: list[Change]) -> int:
    """How many of them were given after the call had happened first, and before it happened last."""
    first, last = min(e.at for e in happened), max(e.at for e in happened)
    given = [change for change in consents if change.may_have_happened]
    return sum((change.answered_at or INFINITE) >= first and change.sent_at <= last for change in given)
