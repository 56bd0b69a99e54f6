"""After the last fault: everything is given the time to come to rest, and asked one more thing."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from benchmarks.chaos.database import Database
from benchmarks.chaos.ledger import Command, Ledger
from benchmarks.chaos.person import Person
from benchmarks.chaos.tab import Tab

POLL_SECONDS = 0.25
STILL_SECONDS = 3.0
LONG_SECONDS = 6.0
"""A run that goes on for so long in the calm is stopped: it may wait for a model that never answers."""


async def tidy(person: Person, thread: str, seconds: float) -> None:
    """Brings a thread to where nothing is in flight and nothing waits, as a patient person would: gives up
    after so many seconds without progress."""
    since, watched = time.monotonic(), ""
    while time.monotonic() - since < seconds:
        exported = await person.export(thread)
        if exported is None:
            return
        flight, queue = exported["in_flight"], exported["queue"]
        if flight is None and not queue["messages"]:
            return
        run_id = flight["run_id"] if flight else ""
        if run_id != watched:
            since, watched = time.monotonic(), run_id
        await _decide(person, thread, flight, queue, is_long=time.monotonic() - since > LONG_SECONDS)
        await asyncio.sleep(POLL_SECONDS)


async def _decide(
    person: Person, thread: str, flight: dict[str, Any] | None, queue: dict[str, Any], *, is_long: bool
) -> None:
    status = flight["status"] if flight else "idle"
    if status == "running":
        if is_long:
            await person.stop(thread)
    elif status in ("interrupted", "failed"):
        await person.recover(thread, person.dice.choice(("resume", "keep", "keep", "discard")))
    elif queue["held"]:
        await person.go_on(thread)


async def leave(person: Person, thread: str, seconds: float) -> None:
    """Lets a thread come to rest by itself; only a run that does not end is stopped.

    What is interrupted may be resumed by itself a moment later, so the rest has to last.
    """
    since, watched = time.monotonic(), ""
    while time.monotonic() - since < seconds:
        exported = await person.export(thread)
        if exported is None:
            return
        flight, rests = exported["in_flight"], is_at_rest(exported)
        now = "rest" if rests else flight["run_id"] if flight else ""
        if now != watched:
            since, watched = time.monotonic(), now
        lasts = time.monotonic() - since > LONG_SECONDS
        if rests and lasts:
            return
        if flight and lasts:
            await person.stop(thread)
        await asyncio.sleep(POLL_SECONDS)


def is_at_rest(exported: dict[str, Any]) -> bool:
    flight, queue = exported["in_flight"], exported["queue"]
    if flight:
        return flight["status"] in ("interrupted", "failed")
    return not queue["messages"] or bool(queue["held"])


async def probe(person: Person, thread: str, ledger: Ledger, seconds: float) -> None:
    """One more plain message is answered: the model server takes the history as it is."""
    command = await person.send(thread, text=person.speaker.plain())
    if command.outcome == "refused":  # deleted, as it turned out
        return
    ends_at = time.monotonic() + seconds
    while time.monotonic() < ends_at:
        exported = await person.export(thread)
        if exported is not None and is_answered(exported, command):
            ledger.count("probes")
            return
        await asyncio.sleep(POLL_SECONDS)
    ledger.accuse(
        "goes on", f"thread {thread} did not answer {command.text!r} within {seconds} s: {exported}"
    )


def is_answered(exported: dict[str, Any], command: Command) -> bool:
    return any(
        segment["run_id"] == command.run_id and segment["meta"]["status"] == "completed"
        for segment in exported["segments"]
    )


async def come_to_rest(database: Database, ledger: Ledger, seconds: float) -> None:
    """Until nothing runs and no queue is about to go on, for a moment on end."""
    ends_at, still_since = time.monotonic() + seconds, None
    while time.monotonic() < ends_at:
        is_still = await asyncio.to_thread(nothing_moves, database)
        still_since = (still_since or time.monotonic()) if is_still else None
        if still_since and time.monotonic() - still_since > STILL_SECONDS:
            return
        await asyncio.sleep(POLL_SECONDS)
    ledger.accuse("comes to rest", f"there was no rest within {seconds} s")


def nothing_moves(database: Database) -> bool:
    running = "SELECT run_id FROM agents_checkpoint WHERE appended_at IS NULL AND status = 'running'"
    about_to_start = (
        "SELECT t.id FROM chatapp_thread t JOIN chatapp_queuedmessage q ON q.thread_id = t.id"
        " WHERE t.queue_held = ''"
    )
    return not any(database.rows(running)) and not _free(database, about_to_start)


def _free(database: Database, sql: str) -> bool:
    """Whether a thread whose queue nobody holds has nothing in flight."""
    waiting = {str(row["id"]).replace("-", "") for row in database.rows(sql)}
    flights = "SELECT session_id FROM agents_checkpoint WHERE appended_at IS NULL"
    busy = {str(row["session_id"]).replace("-", "") for row in database.rows(flights)}
    return bool(waiting - busy)


async def catch_up(tabs: list[Tab], last: dict[str, int], seconds: float) -> None:
    """Until every open tab is connected and has all frames of the runs that it shows."""
    ends_at = time.monotonic() + seconds
    while time.monotonic() < ends_at:
        await asyncio.sleep(POLL_SECONDS)
        if all(has_all(tab, last) for tab in tabs):
            return


def has_all(tab: Tab, last: dict[str, int]) -> bool:
    views = tab.screen.views.values()
    return tab.is_gone or (tab.is_connected and all(view.seq >= last.get(view.run_id, 0) for view in views))
