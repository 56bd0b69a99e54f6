"""/ws/threads/<id>/: a snapshot, then every frame without a gap or a repeat."""

import asyncio
from uuid import uuid4

import pytest

from agents.checkpoint import RunHead
from agents.stores.orm import checkpoints
from agents.testing import calls, hangs, text
from agents.transcript import AssistantTextEntry, ToolCallEntry
from chatapp.consumers import socket
from chatapp.eventlog import hub, publish, read_after, record
from chatapp.lifecycle import take_over_and_fold
from tests.chatapp.conftest import DATA, ask, ended, flight_of, said, send, shown, until
from tests.chatapp.watching import connected, in_thread, watching
from tests.conftest import PASSWORD

IDLE = {
    "type": "snapshot",
    "status": "idle",
    "run_id": None,
    "seq": 0,
    "resumed": False,
    "text": "",
    "tools": [],
    "requests": [],
    "queue": {"held": None, "messages": []},
}


def texts(frames):
    return "".join(frame["text"] for frame in frames if frame["type"] == "text_delta")


def seqs(frames):
    return [frame["seq"] for frame in frames if "seq" in frame and frame["type"] != "snapshot"]


def delta(words, index=1):
    return {"type": "text_delta", "index": index, "text": words}


# snapshots


async def test_an_idle_thread_says_so(client, script, thread):
    async with watching(client, thread.id) as socket:
        assert await socket.frame() == IDLE


async def test_a_run_is_shown_from_its_start_to_its_end(client, script, thread):
    script(text("Two times three is six."))
    async with watching(client, thread.id) as socket:
        await socket.frame()
        run_id = (await in_thread(send, client, thread, "Go")).json()["run_id"]
        frames = await socket.until("run_finished")
    assert seqs(frames) == list(range(1, frames[-1]["seq"] + 1))
    assert {frame["run_id"] for frame in frames} == {run_id}
    assert frames[0]["input"] == {"ref": f"{run_id}:0", "text": "Go"}
    assert texts(frames) == "Two times three is six."
    assert frames[-1]["status"] == "completed"
    assert await in_thread(said, thread.session_id) == ["Go", "Two times three is six."]


async def test_who_comes_in_the_middle_gets_the_text_so_far(client, script, thread):
    script(hangs("So far so good"))
    run_id = (await in_thread(send, client, thread, "Go")).json()["run_id"]
    await in_thread(until, lambda: shown(thread) == "So far so good")
    async with watching(client, thread.id) as socket:
        snapshot = await socket.frame()
        assert (snapshot["status"], snapshot["run_id"], snapshot["resumed"]) == ("running", run_id, False)
        assert snapshot["text"] == "So far so good"
        await in_thread(client.post, f"/threads/{thread.id}/stop/", **DATA)
        rest = await socket.until("run_finished")
    assert seqs(rest) == list(range(snapshot["seq"] + 1, rest[-1]["seq"] + 1))
    assert (texts(rest), rest[-1]["status"]) == ("", "stopped")


async def test_a_snapshot_names_the_open_calls(client, script, thread, add_flight):
    run_id = await in_thread(add_flight, ask(), ToolCallEntry("c1", "pay", "{}"), started_calls=["c1"])
    async with watching(client, thread.id) as socket:
        snapshot = await socket.frame()
    assert (snapshot["status"], snapshot["run_id"]) == ("interrupted", run_id)
    assert snapshot["tools"] == [{"call_id": "c1", "name": "pay", "arguments": "{}", "started": True}]


async def test_a_failed_run_tells_its_reason(client, script, thread, add_flight):
    error = {"type": "ProviderError", "message": "No quota.", "hint": ""}
    await in_thread(add_flight, ask(), error=error, frames=[delta("Half")])
    async with watching(client, thread.id) as socket:
        snapshot = await socket.frame()
    assert (snapshot["status"], snapshot["error"], snapshot["text"]) == ("failed", error, "Half")


# coming back


@pytest.fixture
def run(thread, add_flight):
    """A run in flight with five frames."""
    return add_flight(ask(), frames=[delta(word) for word in ("a ", "b ", "c ", "d")], live=True)


@pytest.mark.parametrize("after", [0, 3, 5])
async def test_who_comes_back_goes_on_where_they_were(client, script, thread, run, after):
    async with watching(client, thread.id, run=run, after=after) as socket:
        snapshot = await socket.frame()
        assert (snapshot["resumed"], snapshot["seq"], snapshot["status"]) == (True, after, "running")
        frames = [await socket.frame() for _ in range(5 - after)]
        assert await socket.is_silent()
    assert seqs(frames) == list(range(after + 1, 6))


@pytest.mark.parametrize(
    "place", [{"after": 6}, {"after": -1}, {"after": "x"}, {"after": ""}, {"after": "9" * 5000}, {}]
)
async def test_a_place_that_never_was_gets_the_whole(client, script, thread, run, place):
    async with watching(client, thread.id, run=run, **place) as socket:
        snapshot = await socket.frame()
        assert (snapshot["resumed"], snapshot["seq"], snapshot["text"]) == (False, 5, "a b c d")
        assert await socket.is_silent()


@pytest.mark.parametrize("stray", [str(uuid4()), "\x00", "x" * 300, ""])
async def test_an_unknown_run_gets_the_whole(client, script, thread, run, stray):
    async with watching(client, thread.id, run=stray, after=1) as socket:
        assert (await socket.frame())["resumed"] is False


async def test_a_run_of_another_thread_is_unknown_here(client, script, make_thread, run):
    other = await in_thread(make_thread)
    async with watching(client, other.id, run=run, after=2) as socket:
        assert await socket.frame() == IDLE
        assert await socket.is_silent()


async def test_who_missed_the_end_gets_it(client, script, thread):
    script(text("Two times three is six."))
    run_id = (await in_thread(send, client, thread, "Go")).json()["run_id"]
    await in_thread(ended, thread)
    async with watching(client, thread.id, run=run_id, after=1) as socket:
        snapshot = await socket.frame()
        frames = await socket.until("run_finished")
    assert (snapshot["status"], snapshot["resumed"]) == ("idle", True)
    assert seqs(frames) == list(range(2, len(frames) + 2))
    assert texts(frames) == "Two times three is six."


async def test_who_has_all_of_the_last_run_gets_nothing_again(client, script, thread, add_run):
    run_id = await in_thread(add_run, ask(), AssistantTextEntry("Yes."))
    async with watching(client, thread.id, run=run_id, after=0) as socket:
        assert await socket.frame() == IDLE | {"resumed": True}
        assert await socket.is_silent()


async def test_a_run_that_is_not_the_last_any_more_is_no_place(client, script, thread, add_run):
    old = await in_thread(add_run, ask())
    await in_thread(add_run, ask())
    async with watching(client, thread.id, run=old, after=0) as socket:
        assert await socket.frame() == IDLE


async def test_a_client_may_ask_for_what_it_lacks(client, script, thread, run):
    async with watching(client, thread.id) as socket:
        await socket.frame()
        await socket.say({"type": "sync", "run": run, "after": 3})
        assert (await socket.frame())["resumed"] is True
        assert seqs([await socket.frame(), await socket.frame()]) == [4, 5]
        await socket.say({"type": "sync", "run": run, "after": "3"})
        assert (await socket.frame())["resumed"] is False


@pytest.mark.parametrize(
    "nonsense", ["", "{", "[]", "null", '"sync"', "{}", '{"type": "stop"}', '{"type": ["sync"]}', "[" * 5000]
)
async def test_anything_else_is_ignored(client, script, thread, nonsense):
    async with watching(client, thread.id) as socket:
        await socket.frame()
        await socket.say(nonsense)
        assert await socket.is_silent()


# nothing is lost, nothing comes twice


async def test_what_was_not_published_comes_before_what_follows(client, script, thread, run):
    async with watching(client, thread.id) as socket:
        await socket.frame()
        await in_thread(record, thread.id, run, [delta("e"), delta("f")], stored=1)
        late = await in_thread(record, thread.id, run, [delta("g")], stored=1)
        await in_thread(publish, thread.id, run, late)
        frames = [await socket.frame() for _ in range(3)]
    assert (seqs(frames), texts(frames)) == ([6, 7, 8], "efg")


async def test_what_is_published_twice_is_shown_once(client, script, thread, run):
    async with watching(client, thread.id) as socket:
        await socket.frame()
        frames = await in_thread(record, thread.id, run, [delta("e")], stored=1)
        for _ in range(3):
            await in_thread(publish, thread.id, run, frames)
        assert (await socket.frame())["seq"] == 6
        assert await socket.is_silent()


async def test_a_reader_that_lags_reads_the_rest_from_the_log(client, script, thread, run):
    async with watching(client, thread.id) as socket:
        await socket.frame()
        batches = [await in_thread(record, thread.id, run, [delta(f"{n} ")], stored=1) for n in range(20)]
        (reader,) = hub._topics[f"thread:{thread.id}"]
        reader._limit = 5
        for batch in batches:
            publish(thread.id, run, batch)  # at once: the reader's task does not come in between
        frames = await socket.until("history")
        assert await socket.is_silent()
    assert seqs(frames) == list(range(6, 26))


async def test_the_heartbeat_says_how_it_stands_and_brings_what_is_missing(
    client, script, thread, run, monkeypatch
):
    monkeypatch.setattr(socket, "HEARTBEAT_SECONDS", 0.1)
    async with watching(client, thread.id) as watcher:
        await watcher.frame()
        live = {"run_id": run, "seq": 5, "status": "running"}
        assert await watcher.any_frame() == {"type": "heartbeat", "live": live}
        await in_thread(record, thread.id, run, [delta("e")], stored=1)
        assert (await watcher.frame())["seq"] == 6


@pytest.mark.parametrize("told", [0, 1])
async def test_a_run_is_brought_to_its_end_before_the_next_one_begins(
    client, script, thread, run, monkeypatch, told
):
    """By what is published of the next run, or by the heartbeat where that is lost too."""
    monkeypatch.setattr(socket, "HEARTBEAT_SECONDS", 60 if told else 0.1)
    async with watching(client, thread.id) as watcher:
        await watcher.frame()
        ends = [delta("e"), {"type": "run_finished", "status": "completed"}]
        await in_thread(record, thread.id, run, ends, stored=1)  # and whoever wrote it tells nobody
        await in_thread(checkpoints.fold, run, 1, tail=[], drop=[], meta={"status": "completed"})
        head = RunHead(agent_name="helper", session_id=thread.session_id)
        await in_thread(checkpoints.start, "next", thread.session_id, [ask()], head, owner="elsewhere:1:x")
        started = await in_thread(record, thread.id, "next", [{"type": "run_started"}], stored=1)
        if told:
            publish(thread.id, "next", started)
        frames = await asyncio.wait_for(watcher.until("run_started"), 5)
        assert [(frame["run_id"], frame["seq"]) for frame in frames] == [(run, 6), (run, 7), ("next", 1)]


async def test_an_idle_heartbeat(client, script, thread, monkeypatch):
    monkeypatch.setattr(socket, "HEARTBEAT_SECONDS", 0.05)
    async with watching(client, thread.id) as watcher:
        await watcher.frame()
        live = {"run_id": None, "seq": 0, "status": "idle"}
        assert await watcher.any_frame() == {"type": "heartbeat", "live": live}


async def test_the_end_of_an_older_run_is_not_told_again(client, script, thread, add_run):
    run_id = await in_thread(add_run, ask())
    frames = await in_thread(record, thread.id, run_id, [delta("x")] * 3, stored=1)
    async with watching(client, thread.id) as socket:
        await socket.frame()
        publish(thread.id, run_id, frames[2:])
        publish(thread.id, str(uuid4()), [frames[2]])
        assert await socket.is_silent()


async def test_after_a_new_snapshot_the_run_before_it_is_not_told_on(client, script, thread, run, add_flight):
    """A sync may overtake the last frames of a run that the next one has followed."""
    async with watching(client, thread.id) as socket:
        await socket.frame()
        end = await in_thread(lambda: take_over_and_fold(thread, flight_of(thread), ending="interrupted"))
        following = await in_thread(add_flight, ask("And now?"), live=True)
        await socket.say({"type": "sync", "run": run, "after": 5})
        snapshot = await socket.frame()
        assert (snapshot["run_id"], snapshot["resumed"]) == (following, False)
        await in_thread(publish, thread.id, run, end)
        assert await socket.is_silent()


async def test_two_readers_see_the_same(client, script, thread):
    script(calls(("nothing", {})), text("Six."))
    async with watching(client, thread.id) as one, watching(client, thread.id) as two:
        await asyncio.gather(one.frame(), two.frame())
        await in_thread(send, client, thread, "Go")
        first, second = await asyncio.gather(one.until("run_finished"), two.until("run_finished"))
    assert first == second
    log = await in_thread(read_after, thread.id, first[0]["run_id"], 0)
    assert log == first


async def test_other_pages_are_told_to_read_again(client, script, thread, add_flight):
    run_id = await in_thread(add_flight, ask("Go"))
    async with watching(client, thread.id) as socket:
        await socket.frame()
        await in_thread(client.post, f"/threads/{thread.id}/recover/", {"action": "keep"}, **DATA)
        frames = await socket.until("history")
    assert (frames[0]["type"], frames[0]["run_id"], frames[0]["status"]) == (
        "run_finished",
        run_id,
        "interrupted",
    )


# who may


@pytest.mark.parametrize("thread_id", [str(uuid4()), "{thread}"])
async def test_what_is_not_theirs_is_not_there(strangers, script, thread, thread_id):
    async with watching(strangers, thread_id.format(thread=thread.id)) as socket:
        assert await socket.code() == 4404


async def test_without_login_it_is_4401(anonymous, script, thread):
    async with watching(anonymous, thread.id) as socket:
        assert await socket.code() == 4401


@pytest.mark.parametrize("path", ["/ws/threads/no-uuid/", "/ws/nowhere/", "/ws/"])
async def test_an_unknown_path_is_4404(client, script, path):
    async with connected(client, path) as socket:
        assert await socket.code() == 4404


async def test_a_logout_ends_the_sockets_of_its_session_at_once(client, client_for, user, script, thread):
    other = await in_thread(client_for, user)
    async with watching(client, thread.id) as socket, watching(other, thread.id) as elsewhere:
        await asyncio.gather(socket.frame(), elsewhere.frame())
        await in_thread(client.logout)
        assert await socket.code() == 4401
        assert await elsewhere.is_silent()


async def test_a_changed_password_ends_the_socket_with_the_next_heartbeat(
    client, user, script, thread, monkeypatch
):
    monkeypatch.setattr(socket, "HEARTBEAT_SECONDS", 0.1)
    async with watching(client, thread.id) as watcher:
        await watcher.frame()
        user.set_password(PASSWORD + "!")
        await in_thread(user.save)
        assert await watcher.code() == 4401


async def test_a_deleted_thread_says_so_and_ends(client, script, thread):
    async with watching(client, thread.id) as socket:
        await socket.frame()
        await in_thread(client.post, f"/threads/{thread.id}/delete/", **DATA)
        assert await socket.frame() == {"type": "deleted"}
        assert await socket.code() == 4404


async def test_a_socket_that_has_gone_is_forgotten(client, script, thread):
    async with watching(client, thread.id) as socket:
        await socket.frame()
    assert not {f"thread:{thread.id}", f"user:{thread.owner_id}"} & set(hub._topics)


async def test_the_lease_decides_what_is_live(client, script, thread, run):
    async with watching(client, thread.id) as socket:
        assert (await socket.frame())["status"] == "running"
        await in_thread(checkpoints.release, run, 1)
        await socket.say({"type": "sync"})
        assert (await socket.frame())["status"] == "interrupted"
