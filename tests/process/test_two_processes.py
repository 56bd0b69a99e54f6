"""Two web processes on one Postgres and one Redis behave as one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.model_server import ModelServer
from tests.fakes.steps import call, hang, say
from tests.process.person import Person, is_idle, is_interrupted, seen_text, texts
from tests.process.server import Server


@pytest.fixture
def other(server: Server, tmp_path: Path) -> Iterator[Server]:
    """A second process on the same database."""
    other = Server(tmp_path, "")
    other.log = tmp_path / "other.log"
    other.environment = {**server.environment, "PORT": str(other.port)}
    other.start()
    yield other
    other.kill()
    assert other.tracebacks == 0, other.log.read_text()


@pytest.fixture
def elsewhere(person: Person, other: Server) -> Person:
    """The same person, in a browser that reaches the other process."""
    twin = Person(other, person.name)
    twin.jar = person.jar
    twin.use_jar()
    return twin


async def test_a_reader_at_the_other_process_sees_every_token(
    person: Person, elsewhere: Person, model_server: ModelServer
) -> None:
    thread = person.new_thread("say 60 @60")
    frames = await elsewhere.watch(thread, lambda f: f and f[-1]["type"] == "run_finished")
    assert seen_text(frames) == texts(person.wait(thread, is_idle))[0]
    seqs = [frame["seq"] for frame in frames if frame["type"] != "snapshot" and "seq" in frame]
    assert seqs == list(range(seqs[0], seqs[0] + len(seqs)))
    assert len(seqs) > 10


async def test_stop_at_the_other_process_closes_the_connection_at_once(
    person: Person, elsewhere: Person, model_server: ModelServer
) -> None:
    thread = person.new_thread("say 2000 @100")
    await model_server.until(lambda: model_server.requests and model_server.requests[-1].tokens >= 50)
    await asyncio.to_thread(elsewhere.post, f"/threads/{thread}/stop/")
    await model_server.until(lambda: not model_server.requests[-1].is_open, within=1)
    exported = elsewhere.wait(thread, is_idle)
    assert exported["segments"][0]["meta"]["status"] == "stopped"


def test_the_other_process_takes_over_what_a_killed_one_left(
    server: Server, person: Person, elsewhere: Person, model_server: ModelServer
) -> None:
    model_server.script(turns=[[hang()], [say(5)]])
    thread = person.new_thread("hello")
    model_server.wait(lambda: model_server.requests)
    server.kill()
    exported = elsewhere.wait(thread, is_idle, within=25)
    assert texts(exported) == ["w1 w2 w3 w4 w5"]


async def test_the_other_process_says_what_was_interrupted_and_resumes_it(
    server: Server, person: Person, elsewhere: Person, model_server: ModelServer
) -> None:
    model_server.script(turns=[[say(400, rate=100)], [say(10)]])
    thread = person.new_thread("tell me")
    shown = seen_text(await elsewhere.watch(thread, lambda frames: len(seen_text(frames)) > 300))
    server.kill()
    exported = await asyncio.to_thread(elsewhere.wait, thread, is_interrupted, 15)
    assert exported["in_flight"]["partial_text"].startswith(shown)
    assert (await asyncio.to_thread(elsewhere.post, f"/threads/{thread}/recover/", action="resume"))[0] == 200
    exported = await asyncio.to_thread(elsewhere.wait, thread, is_idle)
    assert len(texts(exported)) == 1


def test_a_process_that_is_paused_writes_nothing_when_it_wakes_up(
    server: Server, person: Person, elsewhere: Person, model_server: ModelServer
) -> None:
    model_server.script(turns=[[say(40, rate=20), call("lookup", {"word": "ink"})], [say(5)]])
    thread = person.new_thread("look it up")
    model_server.wait(lambda: model_server.requests and model_server.requests[-1].tokens > 5)
    server.pause()
    elsewhere.wait(thread, is_interrupted, within=20)
    assert elsewhere.post(f"/threads/{thread}/recover/", action="keep")[0] == 200
    kept = elsewhere.export(thread)
    server.wake()
    model_server.wait(lambda: not model_server.requests[0].is_open, within=10)
    assert elsewhere.export(thread)["segments"] == kept["segments"]
    assert elsewhere.export(thread)["in_flight"] is None
