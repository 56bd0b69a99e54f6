"""Commands and the writers of runs hold rows of two tables: they never wait for each other in a ring."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from agents.checkpoint import RunHead
from agents.stores.orm import checkpoints
from agents.stores.orm.transactions import writing
from chatapp.eventlog import record
from chatapp.models import RunEvent, Thread
from chatapp.services.commands import command

pytestmark = pytest.mark.django_db(transaction=True)


def test_frames_are_written_while_a_command_holds_the_thread(thread: Thread) -> None:
    head = RunHead(agent_name="helper", session_id=thread.session_id)
    fence = checkpoints.start("r", thread.session_id, [], head, owner="somebody")

    def flush() -> None:
        try:
            with writing():
                checkpoints.hold_fences({"r": fence})
                time.sleep(0.3)  # the command waits for the run's row meanwhile
                record(thread.id, "r", [{"type": "text_delta"}], stored=0)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as writer:
        flushed = writer.submit(flush)
        time.sleep(0.1)
        with command(thread):
            checkpoints.request_stop("r")
        flushed.result(10)
    assert RunEvent.objects.count() == 1
