"""Start, resume, take: the checkpoint first, then a job for the executor."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from uuid import uuid4

from django.utils import timezone

from agents.checkpoint import RunHead, RunSnapshot
from agents.stores.orm import checkpoints
from agents.stores.orm.checkpoints import InFlight
from agents.stores.orm.transactions import writing
from agents.transcript import Entry, InputEntry
from chatapp.assistants import model_of
from chatapp.eventlog import Frame, last_seq, partial_of, record, tail
from chatapp.lifecycle.content import Content, text_of
from chatapp.lifecycle.jobs import RunJob
from chatapp.lifecycle.ownership import QUEUED_OWNER, as_it_is, owner_of_new_runs
from chatapp.models import Thread
from chatapp.models.by_hand import touch_thread


def start(thread: Thread, content: Content, *, run_id: str = "") -> tuple[RunJob, list[Frame]]:
    """Stores the user's message as a new run in flight. → job, frames to publish

    Raises RunInFlight where the session has an unfinished run: fold it first.
    """
    run_id = run_id or str(uuid4())
    now = timezone.now()
    entries: list[Entry] = [InputEntry(role="user", content=content)]
    model = model_of(thread.assistant, thread.model)
    head = RunHead(thread.assistant, session_id=thread.session_id, started_at=now, model=model)
    frames = [started_frame(run_id, text_of(content), resumed=False, at=now)]
    fence = checkpoints.start(run_id, thread.session_id, entries, head, owner=owner_of_new_runs())
    numbered = record(thread.id, run_id, frames, stored=1, after=0)
    touch_thread(thread.id, now)
    job = _job(thread, run_id, fence, stored=1, next_seq=next_after(numbered))
    return replace(job, snapshot=RunSnapshot(run_id, entries, head)), numbered


def resume(thread: Thread, run: InFlight, *, automatic: bool = False) -> tuple[RunJob, list[Frame]] | None:
    """Claims the lease of a run whose owner is gone, in the caller's transaction. None where somebody else
    has it."""
    fence = checkpoints.claim(run.run_id, owner=owner_of_new_runs(), automatic=automatic)
    if fence is None:
        return None
    run = as_it_is(run)
    frame = started_frame(run.run_id, None, resumed=True, at=timezone.now())
    numbered = record(thread.id, run.run_id, [frame], stored=run.next_index)
    return _job_of(thread, run, fence, next_seq=next_after(numbered)), numbered


def take(run_id: str) -> RunJob | None:
    """Takes over a run that waits for a worker: it is this process's now. None where it waits no more."""
    with writing():
        owner = checkpoints.process_owner()
        fence = checkpoints.take_over(run_id, owner=owner, from_owner=QUEUED_OWNER)
        run = checkpoints.run_in_flight(run_id) if fence is not None else None
        if run is None or fence is None:
            return None
        thread = Thread.objects.get(pk=run.session_id or "")  # deleted only together with its runs
        return _job_of(thread, run, fence, next_seq=last_seq(thread.id, run_id) + 1)


def started_frame(run_id: str, text: str | None, *, resumed: bool, at: datetime) -> Frame:
    return {
        "type": "run_started",
        "input": {"ref": f"{run_id}:0", "text": text},
        "resumed": resumed,
        "started_at": at.isoformat(),
    }


def next_after(numbered: list[Frame]) -> int:
    return int(numbered[-1]["seq"]) + 1


def _job_of(thread: Thread, run: InFlight, fence: int, *, next_seq: int) -> RunJob:
    """A run that may have done something already."""
    shown = partial_of(tail(thread.id, run.run_id, run.next_index), run.next_index)
    job = _job(thread, run.run_id, fence, stored=run.next_index, next_seq=next_seq)
    return replace(job, turns=run.head.turns, void=bool(shown))


def _job(thread: Thread, run_id: str, fence: int, *, stored: int, next_seq: int) -> RunJob:
    return RunJob(
        thread_id=thread.id,
        owner_id=thread.owner_id,
        run_id=run_id,
        fence=fence,
        assistant=thread.assistant,
        model=thread.model,
        stored=stored,
        next_seq=next_seq,
    )
