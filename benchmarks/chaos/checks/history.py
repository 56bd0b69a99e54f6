"""Every history is whole, and nothing runs that nobody drives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from benchmarks.chaos.ledger import Ledger
from benchmarks.chaos.stored import Stored, StoredRun

ENDINGS = {"completed", "stopped", "interrupted", "failed"}


def check_histories(stored: Stored, refusals: list[str], ledger: Ledger) -> None:
    for refusal in refusals:
        ledger.accuse("whole history", f"the model server refused a request: {refusal}")
    for thread in stored.threads.values():
        for run in thread.runs:
            for fault in faults_of(run):
                ledger.accuse("whole history", f"thread {thread.id}, run {run.run_id} ({run.where}): {fault}")
    for stray in stored.strays:
        ledger.accuse("nothing left behind", stray)


def faults_of(run: StoredRun) -> Iterator[str]:
    if run.where == "queue":
        return
    entries = list(run.entries.items())
    kinds = [entry["type"] for _, entry in entries]
    if not kinds or kinds[0] != "input" or kinds.count("input") != 1:
        yield f"its inputs are not one at the beginning: {kinds}"
    if run.where != "flight" and run.length != len(entries):
        yield f"says {run.length} entries, and has {len(entries)}"
    if run.where == "flight" and entries and entries[-1][0] >= run.length:
        yield f"an entry {entries[-1][0]} is beyond the next index {run.length}"
    if run.where != "flight" and run.meta.get("status") not in ENDINGS:
        yield f"its meta does not say how it ended: {run.meta.get('status')!r}"
    for index, entry in entries:
        if entry["type"] == "assistant_text" and not entry["content"]:
            yield f"an empty text at {index}"
    yield from faults_of_pairs([entry for _, entry in entries], may_be_open=run.where == "flight")


def faults_of_pairs(entries: list[dict[str, Any]], *, may_be_open: bool) -> Iterator[str]:
    """Each call is followed by its one result before anything else; only a run in flight may lack some."""
    open_calls: Counter[str] = Counter()
    for entry in entries:
        if entry["type"] == "tool_call":
            open_calls[entry["call_id"]] += 1
        elif entry["type"] == "tool_result":
            open_calls[entry["call_id"]] -= 1
            if open_calls[entry["call_id"]] < 0:
                yield f"a result without its call: {entry['call_id']}"
        elif +open_calls:
            yield f"{entry['type']} while calls have no result: {list(+open_calls)}"
            return
    if +open_calls and not may_be_open:
        yield f"calls without a result: {list(+open_calls)}"


def check_rest(stored: Stored, ledger: Ledger) -> None:
    """After the calm: no run that runs, none beside its own segment, no queue that should have gone on."""
    segments = {
        (run.session, run.run_id)
        for thread in stored.threads.values()
        for run in thread.runs
        if run.where in ("segment", "revision")
    }
    everywhere = {run_id for _, run_id in segments}
    for row in stored.checkpoints:
        if row["status"] == "running":
            state = f"lease of {row['lease_owner']} until {row['lease_expires_at']}"
            ledger.accuse("nothing runs for ever", f"run {row['run_id']} of {row['session_id']}: {state}")
        if row["status"] == "completed":
            ledger.accuse("one place", f"run {row['run_id']} is completed, and in no session")
        if row["run_id"] in everywhere:
            ledger.accuse("one place", f"run {row['run_id']} is a checkpoint and a segment")
    for thread in stored.threads.values():
        places = {run.where for run in thread.line}
        if "queue" in places and "flight" not in places and not thread.held:
            ledger.accuse("queue goes on", f"thread {thread.id}: nothing holds its queue")
