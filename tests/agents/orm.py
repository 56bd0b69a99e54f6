"""What the tests of the ORM stores share."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from agents.checkpoint import RunHead
from agents.models import ArchivedResult, Checkpoint, Segment
from agents.models import Entry as EntryRow
from agents.stores.orm import checkpoints
from agents.transcript import AssistantTextEntry, Entry, InputEntry, ToolCallEntry, ToolResultEntry

INPUT: list[Entry] = [InputEntry("user", "hello")]
ANSWER: list[Entry] = [AssistantTextEntry("hi")]
HEAD = RunHead(agent_name="a", session_id="s")
DONE = RunHead(agent_name="a", session_id="s", status="completed")
ME = "here:1:aa"
OTHER = "there:2:bb"


def call(call_id: str) -> ToolCallEntry:
    return ToolCallEntry(call_id, "look", "{}")


def result(call_id: str) -> ToolResultEntry:
    return ToolResultEntry(call_id, "seen")


def start(run_id: str = "r", session_id: str | None = "s", **options: Any) -> int:
    """A run with its input, owned by ME."""
    return checkpoints.start(run_id, session_id, INPUT, HEAD, **{"owner": ME, **options})


def expire(run_id: str) -> None:
    """As if its owner had not been heard of for a while."""
    past = timezone.now() - timedelta(seconds=1)
    Checkpoint.objects.filter(run_id=run_id).update(lease_expires_at=past)


def steal(run_id: str) -> int:
    """Another owner takes the run after its lease ended."""
    expire(run_id)
    fence = checkpoints.claim(run_id, owner=OTHER)
    assert fence is not None
    return fence


def stored() -> tuple[int, int, int, int]:
    """How many rows there are: checkpoints, segments, entries, archived results."""
    models = (Checkpoint, Segment, EntryRow, ArchivedResult)
    checkpoint_count, segment_count, entry_count, archived = (model.objects.count() for model in models)
    return checkpoint_count, segment_count, entry_count, archived


def indexes(log: Any) -> list[int]:
    return list(EntryRow.objects.filter(log=log).order_by("index").values_list("index", flat=True))
