"""What must cost the same however long a history is: saving a step, opening a thread, listing threads."""

import uuid
from collections.abc import Iterator
from functools import partial

from agents.checkpoint import RunHead
from agents.stores.orm import checkpoints
from agents.transcript import AssistantTextEntry, Entry, InputEntry
from benchmarks.table import Row
from benchmarks.timing import measure
from benchmarks.world import client_of, make_thread, make_threads, make_user


def step_save() -> Iterator[Row]:
    """One more step of a run that has stored this many entries already."""
    for stored in (10, 1_000, 10_000):
        run_id, head = str(uuid.uuid4()), RunHead(agent_name="bench")
        entries: list[Entry] = [InputEntry(role="user", content="go")]
        entries += [AssistantTextEntry(content=f"step {number}") for number in range(stored - 1)]
        fence = checkpoints.start(run_id, f"bench-{run_id}", entries, head, owner="bench")
        step = [AssistantTextEntry(content="one more step")]
        values = measure(partial(checkpoints.append, run_id, fence, step, head), times=100)
        yield Row("step save", f"{stored:,} entries", values)


def thread_open() -> Iterator[Row]:
    """The whole page of a thread, with its newest turns."""
    user = make_user()
    client = client_of(user)
    for entries in (10, 1_000, 10_000):
        thread = make_thread(user, entries=entries)
        values = measure(partial(client.get, f"/threads/{thread.id}/"))
        size = len(client.get(f"/threads/{thread.id}/").content) / 1024
        yield Row("thread open", f"{entries:,} entries", {**values, "KB": size})


def thread_list() -> Iterator[Row]:
    """The list of chats of a user who has this many."""
    for count in (10, 10_000):
        user = make_user()
        make_threads(user, count=count)
        client = client_of(user)
        yield Row("thread list", f"{count:,} threads", measure(partial(client.get, "/sidebar/")))
