"""An owner that seemed dead writes once more before its lease is taken: what is there then counts."""

import pytest

from agents.checkpoint import RunHead
from agents.stores.orm import checkpoints
from agents.transcript import AssistantTextEntry, InputEntry
from chatapp.eventlog import record
from chatapp.lifecycle import resume, take_over_and_fold
from chatapp.models import Thread
from tests.chatapp.conftest import ask, flight_of, segments

pytestmark = pytest.mark.django_db

DONE = [AssistantTextEntry("All of it.")]


@pytest.fixture
def seen(thread: Thread) -> checkpoints.InFlight:
    """A run as somebody has read it. Its owner has then stored the text that was only shown."""
    head = RunHead(agent_name="helper", session_id=thread.session_id)
    fence = checkpoints.start("r", thread.session_id, [ask()], head, owner="elsewhere:1:x")
    shown = [{"type": "run_started"}, {"type": "text_delta", "index": 1, "text": "All of it."}]
    record(thread.id, "r", shown, stored=1)
    run = flight_of(thread)
    checkpoints.append("r", fence, DONE, head)
    checkpoints.release("r", fence, head=head)
    return run


def test_a_fold_doubles_no_text(thread: Thread, seen: checkpoints.InFlight) -> None:
    assert take_over_and_fold(thread, seen, ending="interrupted")
    (segment,) = segments(thread)
    assert segment.entries == [InputEntry("user", ask().content), *DONE]


def test_a_resume_goes_on_behind_it(thread: Thread, seen: checkpoints.InFlight) -> None:
    resumed = resume(thread, seen)
    assert resumed is not None
    job, _ = resumed
    assert (job.stored, job.void) == (2, False)
