"""What was shown is what is stored: each frame is in the log, and each screen says what the rows say."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from benchmarks.chaos.database import Database
from benchmarks.chaos.ledger import Ledger
from benchmarks.chaos.screen import PartKind, RunView
from benchmarks.chaos.stored import Stored, StoredRun, frames_by_run
from benchmarks.chaos.tab import Tab, digest

# The product forgets the frames of a run an hour after its end.
SURELY_KEPT = timedelta(minutes=55)
ENTRY_TYPES: dict[PartKind, str] = {"text": "assistant_text", "reasoning": "reasoning"}
Shown = dict[PartKind, str]


def check_frames(database: Database, stored: Stored, ledger: Ledger) -> dict[str, tuple[int, Shown]]:
    """Accuses; → of each run its last frame, and its text as rows have it (entries, and what was shown
    beyond them)."""
    runs = stored.runs
    texts: dict[str, tuple[int, Shown]] = {}
    for run_id, frames in frames_by_run(database):
        ledger.count("stored frames", len(frames))
        _check_numbers(run_id, frames, ledger)
        _check_delivered(run_id, frames, ledger)
        run = runs.get(run_id)
        if run is None:
            ledger.accuse("nothing left behind", f"{len(frames)} frames of run {run_id}, which is nowhere")
            continue
        texts[run_id] = (frames[-1]["seq"], _shown(run, frames))
        _check_text(run, frames, texts[run_id][1], ledger)
    _check_unknown(texts, runs, ledger)
    return texts


def _check_numbers(run_id: str, frames: list[dict[str, Any]], ledger: Ledger) -> None:
    numbers = [frame["seq"] for frame in frames]
    if numbers != list(range(1, len(numbers) + 1)):
        wrong = next(n for n, seq in enumerate(numbers, 1) if n != seq)
        ledger.accuse("frames numbered", f"run {run_id}: {wrong} is missing or double in the log")


def _check_delivered(run_id: str, frames: list[dict[str, Any]], ledger: Ledger) -> None:
    """Nobody was shown what is not stored."""
    stored = {frame["seq"]: digest(frame) for frame in frames}
    for seq, mark in ledger.delivered.get(run_id, {}).items():
        if stored.get(seq) != mark:
            what = "another one" if seq in stored else "none"
            ledger.accuse("written, then shown", f"run {run_id}: frame {seq} was shown; stored is {what}")


def _check_unknown(texts: dict[str, Any], runs: dict[str, StoredRun], ledger: Ledger) -> None:
    for run_id in ledger.delivered.keys() & runs.keys() - texts.keys() - forgotten(runs.values()):
        ledger.accuse("written, then shown", f"run {run_id}: frames were shown, none is stored")


def forgotten(runs: Iterable[StoredRun]) -> set[str]:
    """Those that had ended so long before the newest end that nothing more is said of their frames."""
    ends = {run.run_id: run.ended_at for run in runs if run.ended_at}
    newest = max(ends.values(), default=None)
    return {run_id for run_id, end in ends.items() if newest and newest - end > SURELY_KEPT}


def _shown(run: StoredRun, frames: list[dict[str, Any]]) -> Shown:
    return {kind: run.shown(entry) + _partial(run, frames, kind) for kind, entry in ENTRY_TYPES.items()}


def _partial(run: StoredRun, frames: list[dict[str, Any]], kind: PartKind) -> str:
    """Of a run in flight: the frames whose index is not stored, after the last that withdraws them."""
    if run.where != "flight":
        return ""
    pieces: list[str] = []
    for frame in frames:
        if frame["type"] == "text_withdrawn":
            pieces.clear()
        elif frame["type"] == f"{kind}_delta" and frame["index"] >= run.length:
            pieces.append(frame["text"])
    return "".join(pieces)


def _check_text(run: StoredRun, frames: list[dict[str, Any]], shown: Shown, ledger: Ledger) -> None:
    """A client that saw all frames has the stored text."""
    view = RunView(run.run_id)
    for frame in frames:
        view.take(frame)
    for kind, text in shown.items():
        if view.text(kind) != text:
            ledger.accuse(
                "text stored", f"run {run.run_id} ({run.where}): {differ(view.text(kind), text)} ({kind})"
            )


def check_screens(
    tabs: Iterable[Tab], texts: dict[str, tuple[int, Shown]], stored: Stored, ledger: Ledger
) -> None:
    """Of the tabs that are open to the end."""
    old = forgotten(stored.runs.values())
    for tab in tabs:
        if tab.thread not in stored.threads:
            continue
        if tab.is_gone:
            ledger.accuse("screen", f"a socket of thread {tab.thread} was closed for good")
        for view in tab.screen.views.values():
            ledger.count("screens compared")
            if view.run_id in texts:
                _check_view(view, *texts[view.run_id], ledger)
            elif view.run_id not in old:
                ledger.accuse("screen", f"thread {tab.thread} shows run {view.run_id}, which is nowhere")


def _check_view(view: RunView, last_seq: int, stored: Shown, ledger: Ledger) -> None:
    if view.seq != last_seq:
        ledger.accuse("screen", f"run {view.run_id}: a client is at frame {view.seq} of {last_seq}")
        return
    for kind, text in stored.items():
        mine = view.text(kind)
        if mine != text if view.whole else not text.endswith(mine):
            ledger.accuse("screen", f"run {view.run_id}: {differ(mine, text)} ({kind}, whole: {view.whole})")


def differ(shown: str, stored: str) -> str:
    at = next(
        (n for n, (a, b) in enumerate(zip(shown, stored, strict=False)) if a != b),
        min(len(shown), len(stored)),
    )
    return (
        f"shown {len(shown)} characters, stored {len(stored)}; from {at} on "
        f"{shown[at : at + 60]!r} against {stored[at : at + 60]!r}"
    )
