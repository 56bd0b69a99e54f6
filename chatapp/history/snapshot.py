"""What a socket says first, and with each heartbeat: how the thread stands, as the database has it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from agents.stores.orm import checkpoints, sessions
from agents.stores.orm.checkpoints import InFlight
from agents.transcript import UnreadableEntry, pending_tool_calls
from chatapp.eventlog import Frame, is_known, last_seq, partial_text
from chatapp.history.reading import FlightRead, read_flight, read_steadily, status_of
from chatapp.lifecycle.queue import queue_of
from chatapp.models import Thread

LAST_TURN = 400
"""How far back open calls are looked for: they can only be in the run's last turn."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a client says it is: it has seen this run up to the frame `after`."""

    run_id: str
    after: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a client is shown, and which frame of which run it then has."""

    frame: Frame
    places: dict[str, int] = field(default_factory=dict)


def read_snapshot(thread_id: UUID, place: Place | None) -> Snapshot:
    thread = Thread.objects.filter(id=thread_id).first()

    def read(run: InFlight | None) -> Snapshot:
        snapshot = flying(thread_id, run, place) if run else resting(thread_id, place)
        queue = queue_of(thread, run) if thread else {"held": None, "messages": []}
        return replace(snapshot, frame=snapshot.frame | {"queue": queue})

    return read_steadily(str(thread_id), read)


def flying(thread_id: UUID, run: InFlight, place: Place | None) -> Snapshot:
    """A run is in flight: who has seen some of it goes on there, who has not gets it as it stands."""
    resumed = place is not None and place.run_id == run.run_id and goes_on(thread_id, place)
    read = read_flight(thread_id, run, limit=LAST_TURN)
    seq = place.after if place and resumed else read.seq
    frame = frame_of_flight(read, seq=seq, resumed=resumed)
    return Snapshot(frame, {run.run_id: seq})


def resting(thread_id: UUID, place: Place | None) -> Snapshot:
    """Nothing is in flight: who has the last run may lack its end."""
    newest_runs = sessions.page(str(thread_id), limit=1).runs
    last_run = newest_runs[-1].run_id if newest_runs else None
    newest = {last_run: last_seq(thread_id, last_run)} if last_run else {}
    resumed = place is not None and place.run_id == last_run and goes_on(thread_id, place)
    frame = idle_frame(seq=place.after if place and resumed else 0, resumed=resumed)
    return Snapshot(frame, {place.run_id: place.after} if place and resumed else newest)


def goes_on(thread_id: UUID, place: Place) -> bool:
    """Whether the log still has all that follows; of a run whose frames were swept, nothing follows."""
    if is_known(thread_id, place.run_id, place.after):
        return True
    return place.after == 0 and last_seq(thread_id, place.run_id) == 0


def frame_of_flight(read: FlightRead, *, seq: int, resumed: bool) -> Frame:
    status = status_of(read.run)
    shown = [frame for frame in read.frames if frame["seq"] <= seq]
    frame: Frame = {
        "type": "snapshot",
        "status": status,
        "run_id": read.run.run_id,
        "seq": seq,
        "resumed": resumed,
        "text": partial_text(shown, read.stored),
        "tools": open_calls(read),
        "requests": [],
    }
    return frame | {"error": read.run.head.error} if status == "failed" else frame


def idle_frame(*, seq: int, resumed: bool) -> Frame:
    return {
        "type": "snapshot",
        "status": "idle",
        "run_id": None,
        "seq": seq,
        "resumed": resumed,
        "text": "",
        "tools": [],
        "requests": [],
    }


def open_calls(read: FlightRead) -> list[dict[str, Any]]:
    entries = [entry for _, entry in read.entries if not isinstance(entry, UnreadableEntry)]
    started = set(read.run.head.started_calls)
    return [
        {
            "call_id": call.call_id,
            "name": call.name,
            "arguments": call.arguments,
            "started": call.call_id in started,
        }
        for call in pending_tool_calls(entries)
    ]


def read_live(thread_id: UUID) -> dict[str, Any]:
    """What a heartbeat says: the run in flight, its newest frame, the status."""
    run = checkpoints.in_flight(str(thread_id))
    seq = last_seq(thread_id, run.run_id) if run else 0
    return {"run_id": run.run_id if run else None, "seq": seq, "status": status_of(run)}
