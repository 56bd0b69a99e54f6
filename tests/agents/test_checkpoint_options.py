"""Options that contradict each other are refused where they are made."""

from typing import Any

import pytest

from agents.checkpoint import CheckpointOptions, RunHead, RunSnapshot
from agents.errors import UserError
from agents.stores import InMemoryCheckpointer
from agents.transcript import InputEntry

SNAPSHOT = RunSnapshot.from_parts("r1", [InputEntry("user", "x")], RunHead(agent_name="a"))


@pytest.mark.parametrize(
    "options",
    [
        {"run_id": "r1"},
        {"checkpointer": InMemoryCheckpointer()},
        {"checkpointer": InMemoryCheckpointer(), "run_id": " "},
        {"checkpointer": InMemoryCheckpointer(), "run_id": "x" * 201},
        {"checkpointer": InMemoryCheckpointer(), "run_id": "a\x00"},
        {"checkpointer": InMemoryCheckpointer(), "run_id": None},
        {"checkpointer": InMemoryCheckpointer(), "run_id": "r1", "if_run_exists": "replace"},
        {"resume_from": SNAPSHOT, "run_id": "r2"},
        {"resume_from": SNAPSHOT, "if_run_exists": "restart"},
        {"resume_from": SNAPSHOT, "if_run_exists": "fail"},
        {"resume_from": SNAPSHOT, "delete_on_success": True},
    ],
    ids=str,
)
def test_wrong_combinations_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UserError):
        CheckpointOptions(**options)


def test_the_plain_form() -> None:
    store = InMemoryCheckpointer()
    options = CheckpointOptions(store, "r1")
    assert (options.checkpointer, options.run_id) == (store, "r1")
    assert (options.if_run_exists, options.delete_on_success, options.resume_from) == ("resume", False, None)


def test_a_snapshot_brings_its_run_id() -> None:
    assert CheckpointOptions(resume_from=SNAPSHOT).run_id == "r1"
    assert CheckpointOptions(InMemoryCheckpointer(), "r1", resume_from=SNAPSHOT).run_id == "r1"


def test_a_snapshot_does_not_share_its_list_with_whoever_made_it() -> None:
    entries = [InputEntry("user", "x")]
    snapshot = RunSnapshot.from_parts("r1", entries, SNAPSHOT.head)
    entries.clear()
    assert snapshot.entries == [InputEntry("user", "x")]
