"""SQLite that cannot be written for a while: locked by another process, or on a disk that is full."""

from __future__ import annotations

import asyncio
import resource
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from tests.fakes.model_server import ModelServer
from tests.fakes.steps import say, words
from tests.process.person import Person, is_idle, is_interrupted, seen_text, texts
from tests.process.server import Server

LOCKED_SECONDS = 5.0
FULL_AT = 64 * 1024  # bytes, which the database exceeds and the server's log does not


@contextmanager
def write_lock(database_url: str) -> Iterator[None]:
    """Another process (this one) has the write lock."""
    other = sqlite3.connect(database_url.removeprefix("sqlite:///"), isolation_level=None, timeout=10)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


@contextmanager
def full_disk(server: Server) -> Iterator[None]:
    """No file of the server may grow: to a process this is a disk without room."""
    pids = [part._process.pid for part in server._parts if part._process]
    for pid in pids:
        _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (FULL_AT, hard))
    yield
    for pid in pids:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (hard, hard))
    assert server.log.stat().st_size < FULL_AT, "the log was cut as well"


def at_the_end(frames: list[dict]) -> bool:
    return bool(frames) and frames[-1]["type"] == "run_finished"


def is_whole(database_url: str) -> bool:
    with sqlite3.connect(database_url.removeprefix("sqlite:///")) as database:
        (answer,) = database.execute("PRAGMA integrity_check").fetchone()
        dangling = database.execute("PRAGMA foreign_key_check").fetchall()
    return answer == "ok" and not dangling


async def test_while_another_process_has_the_write_lock_all_waits_and_nothing_is_lost(
    person: Person, model_server: ModelServer, database_url: str
) -> None:
    thread = await asyncio.to_thread(person.new_thread, "say 300 @60")
    watching = asyncio.create_task(person.watch(thread, at_the_end))
    await model_server.until(lambda: model_server.requests and model_server.requests[-1].tokens >= 30)
    with write_lock(database_url):
        sending = asyncio.create_task(
            asyncio.to_thread(person.post, f"/threads/{thread}/messages/", text="say 2")
        )
        starting = asyncio.create_task(asyncio.to_thread(person.post, "/threads/", text="say 3"))
        assert (await asyncio.to_thread(person.get, f"/threads/{thread}/"))[0] == 200
        await asyncio.sleep(LOCKED_SECONDS)
    assert (await sending)[0] < 300
    assert (await starting)[0] == 303
    assert seen_text(await watching) == words(300)
    exported = await asyncio.to_thread(
        person.wait, thread, lambda now: is_idle(now) and len(now["segments"]) == 2
    )
    assert texts(exported, "input") == ["say 300 @60", "say 2"]
    assert texts(exported) == [words(300), words(2)]


async def test_a_moment_without_room_on_the_disk_costs_nothing_and_more_of_it_is_said(
    server: Server, person: Person, model_server: ModelServer, database_url: str
) -> None:
    whole = await asyncio.to_thread(person.new_thread, "say 150 @60")
    watching = asyncio.create_task(person.watch(whole, at_the_end))
    await model_server.until(lambda: model_server.requests and model_server.requests[-1].tokens >= 30)
    with full_disk(server):
        await asyncio.sleep(2)
    assert seen_text(await watching) == words(150)
    assert texts(await asyncio.to_thread(person.wait, whole, is_idle)) == [words(150)]

    model_server.script(turns=[[say(150, rate=60)], [say(4)]], match="tell me")
    thread = await asyncio.to_thread(person.new_thread, "tell me")
    shown = seen_text(await person.watch(thread, lambda frames: len(seen_text(frames)) > 100))
    with full_disk(server):
        status, answer = await asyncio.to_thread(person.post, f"/threads/{thread}/messages/", text="say 2 ")
        assert (status, set(answer)) == (503, {"error", "hint"})
        status, page = await asyncio.to_thread(person.get, f"/threads/{thread}/")
        assert (status, shown[:20] in page) == (200, True)
        await asyncio.to_thread(person.wait, thread, is_interrupted)
        for text in ("say 2", "say 2 " + "x" * 20_000):
            assert (await asyncio.to_thread(person.post, "/threads/", text=text))[0] == 503
        assert (await asyncio.to_thread(person.get, "/"))[0] == 200
    assert is_whole(database_url)
    exported = await asyncio.to_thread(person.wait, thread, is_interrupted)
    assert exported["in_flight"]["partial_text"].startswith(shown)
    assert exported["queue"]["messages"] == []
    resumed = await asyncio.to_thread(person.post, f"/threads/{thread}/recover/", action="resume")
    assert resumed[0] == 200
    exported = await asyncio.to_thread(person.wait, thread, is_idle)
    assert (texts(exported, "input"), texts(exported)) == (["tell me"], [words(4)])
    await asyncio.to_thread(person.send, thread, "say 5")
    exported = await asyncio.to_thread(person.wait, thread, lambda now: texts(now)[-1] == words(5))
    assert is_whole(database_url)
