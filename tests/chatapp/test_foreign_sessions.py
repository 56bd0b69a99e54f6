"""Others may use the engine on our database, with any string as session: that is in nobody's way."""

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from agents.checkpoint import RunHead
from agents.stores.orm import checkpoints
from agents.transcript import InputEntry
from chatapp import executor
from chatapp.executor.reaper import look_after_orphans
from chatapp.lifecycle.room import has_room

pytestmark = pytest.mark.django_db


def foreign_run(session_id: str, *, owner: str | None) -> None:
    head = RunHead(agent_name="theirs")
    checkpoints.start(f"run of {session_id}", session_id, [InputEntry("user", "go")], head, owner=owner)


def test_the_reaper_leaves_their_runs_alone() -> None:
    foreign_run("u1", owner=None)
    look_after_orphans(executor.get())
    found = checkpoints.in_flight("u1")
    assert found is not None
    assert found.head.status == "running"


def test_their_live_runs_do_not_count_as_a_users(user: User, settings: Settings) -> None:
    settings.MAX_RUNS_PER_USER = 1
    foreign_run("u1", owner="somebody:1:x")
    assert has_room(user.pk)
