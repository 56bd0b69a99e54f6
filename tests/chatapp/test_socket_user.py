"""/ws/user/: hints for the sidebar of one user."""

from agents.testing import hangs, text
from chatapp.consumers import socket
from tests.chatapp.conftest import DATA, ask, ended, send, shown, until
from tests.chatapp.watching import connected, in_thread

PATH = "/ws/user/"


async def test_the_first_frame_names_what_is_in_flight(client, script, thread, make_thread, add_flight):
    await in_thread(add_flight, ask())
    await in_thread(make_thread, title="Idle")
    async with connected(client, PATH) as watcher:
        states = [{"thread": str(thread.id), "state": "interrupted"}]
        assert await watcher.frame() == {"type": "snapshot", "threads": states}


async def test_a_run_that_begins_and_ends_is_told(client, script, thread):
    script(text("Fine."))
    async with connected(client, PATH) as watcher:
        assert await watcher.frame() == {"type": "snapshot", "threads": []}
        await in_thread(send, client, thread, "Go")
        await in_thread(ended, thread)
        frames = [await watcher.frame()]
        while frames[-1].get("state") != "ended":
            frames.append(await watcher.frame())
    assert {frame["thread"] for frame in frames} == {str(thread.id)}
    assert "live" in [frame.get("state") for frame in frames]


async def test_a_strangers_threads_are_not_told(client, strangers, script, thread):
    script(hangs("So far"))
    async with connected(strangers, PATH) as watcher:
        await watcher.frame()
        await in_thread(send, client, thread, "Go")
        await in_thread(until, lambda: shown(thread) == "So far")
        assert await watcher.is_silent()


async def test_a_deleted_thread_is_told(client, script, thread):
    async with connected(client, PATH) as watcher:
        await watcher.frame()
        await in_thread(client.post, f"/threads/{thread.id}/delete/", **DATA)
        assert await watcher.frame() == {"type": "thread", "thread": str(thread.id), "deleted": True}


async def test_without_login_it_is_4401(anonymous, script):
    async with connected(anonymous, PATH) as watcher:
        assert await watcher.code() == 4401


async def test_a_logout_ends_it_without_another_frame(client, script):
    async with connected(client, PATH) as watcher:
        await watcher.frame()
        await in_thread(client.logout)
        assert await watcher.code() == 4401


async def test_it_beats(client, script, monkeypatch):
    monkeypatch.setattr(socket, "HEARTBEAT_SECONDS", 0.05)
    async with connected(client, PATH) as watcher:
        await watcher.frame()
        assert await watcher.any_frame() == {"type": "heartbeat"}
