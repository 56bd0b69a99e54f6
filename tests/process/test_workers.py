"""Two web processes and two workers behave as one: runs are sent, watched, stopped and saved across them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from chatapp.services.settling import STOP_SECONDS
from tests.fakes.model_server import ModelServer
from tests.fakes.steps import say
from tests.process.database import empty_database
from tests.process.deployment import Deployment
from tests.process.person import Person, is_idle, is_interrupted, seen_text, texts
from tests.process.server import Worker

pytestmark = pytest.mark.runs


@pytest.fixture(scope="module")
def started(
    tmp_path_factory: pytest.TempPathFactory, _running_model_server: ModelServer
) -> Iterator[Deployment]:
    folder: Path = tmp_path_factory.mktemp("workers")
    with empty_database(folder) as url:
        deployment = Deployment(
            folder,
            url,
            ASSISTANTS="tests.process.assistants:helper",
            OPENAI_BASE_URL=_running_model_server.url,
            EFFECTS=str(folder),
        )
        deployment.start()
        yield deployment
        deployment.kill()
        for process in deployment.processes:
            assert process.tracebacks == 0, process.log.read_text()


@pytest.fixture(scope="module")
def somebody(started: Deployment) -> Person:
    return started.person_at(0)


@pytest.fixture
def deployment(started: Deployment, model_server: ModelServer) -> Deployment:
    """All of its processes run."""
    started.start()
    return started


@pytest.fixture
def person(deployment: Deployment, somebody: Person) -> Person:
    """At the first web process."""
    return somebody


@pytest.fixture
def elsewhere(deployment: Deployment, person: Person) -> Person:
    """The same person at the second one."""
    return deployment.person_at(1, person)


def at_the_end(frames: list[dict]) -> bool:
    return bool(frames) and frames[-1]["type"] == "run_finished"


async def driver_of(deployment: Deployment, thread: str) -> Worker:
    for _ in range(100):
        if driver := deployment.driver_of(thread):
            return driver
        await asyncio.sleep(0.05)
    raise AssertionError("no worker has taken the run")


async def test_a_reader_at_the_other_web_process_sees_every_token(
    person: Person, elsewhere: Person, model_server: ModelServer
) -> None:
    thread = person.new_thread("say 60 @60")
    frames = await elsewhere.watch(thread, at_the_end)
    assert seen_text(frames) == texts(person.wait(thread, is_idle))[0]
    seqs = [frame["seq"] for frame in frames if frame["type"] != "snapshot" and "seq" in frame]
    assert seqs == list(range(seqs[0], seqs[0] + len(seqs)))
    assert len(seqs) > 10


async def test_stop_at_the_other_web_process_closes_the_providers_connection_within_a_second(
    person: Person, elsewhere: Person, model_server: ModelServer
) -> None:
    thread = person.new_thread("say 2000 @100")
    await model_server.until(lambda: model_server.requests and model_server.requests[-1].tokens >= 50)
    stopping = asyncio.create_task(asyncio.to_thread(elsewhere.post, f"/threads/{thread}/stop/"))
    await model_server.until(lambda: not model_server.requests[-1].is_open, within=1)
    assert (await stopping)[0] < 300
    exported = elsewhere.export(thread)
    assert [segment["meta"]["status"] for segment in exported["segments"]] == ["stopped"]
    assert exported["segments"][0]["entries"][-1]["partial"] is True


async def test_messages_of_a_queue_are_answered_in_order(
    person: Person, elsewhere: Person, model_server: ModelServer
) -> None:
    thread = person.new_thread("say 30 @30")
    await asyncio.to_thread(elsewhere.send, thread, "say 2")
    await asyncio.to_thread(person.send, thread, "say 3")
    exported = await asyncio.to_thread(person.wait, thread, lambda now: len(now["segments"]) == 3)
    assert texts(exported, "input") == ["say 30 @30", "say 2", "say 3"]
    assert texts(exported)[1:] == ["w1 w2", "w1 w2 w3"]


async def test_a_job_that_is_delivered_twice_does_no_harm(
    deployment: Deployment, person: Person, model_server: ModelServer
) -> None:
    thread = person.new_thread("say 60 @30")
    await driver_of(deployment, thread)
    run_id = person.export(thread)["in_flight"]["run_id"]
    for _ in range(4):  # so that either worker gets some
        deployment.defer(run_id)
    exported = await asyncio.to_thread(person.wait, thread, is_idle)
    assert texts(exported) == [" ".join(f"w{n}" for n in range(1, 61))]
    assert len(model_server.requests) == 1
    assert deployment.count_jobs() == 0


async def test_killed_in_the_text_it_is_interrupted_and_resumed_by_the_other_worker(
    deployment: Deployment, person: Person, elsewhere: Person, model_server: ModelServer
) -> None:
    model_server.script(turns=[[say(400, rate=100)], [say(60, rate=30)]])
    thread = person.new_thread("tell me")
    shown = seen_text(await elsewhere.watch(thread, lambda frames: len(seen_text(frames)) > 300))
    driver = await driver_of(deployment, thread)
    driver.kill()
    exported = await asyncio.to_thread(elsewhere.wait, thread, is_interrupted, 15)
    assert exported["in_flight"]["partial_text"].startswith(shown)
    assert (await asyncio.to_thread(elsewhere.post, f"/threads/{thread}/recover/", action="resume"))[0] == 200
    assert await driver_of(deployment, thread) is deployment.other_than(driver)
    exported = await asyncio.to_thread(person.wait, thread, is_idle)
    assert [segment["meta"]["status"] for segment in exported["segments"]] == ["completed"]
    assert len(texts(exported)) == 1


async def test_a_worker_that_is_told_to_end_hands_its_runs_to_the_other(
    deployment: Deployment, person: Person, elsewhere: Person, model_server: ModelServer
) -> None:
    model_server.script(turns=[[say(3000, rate=50)], [say(60, rate=30)]])
    thread = person.new_thread("tell me")
    await elsewhere.watch(thread, lambda frames: len(seen_text(frames)) > 50)
    driver = await driver_of(deployment, thread)
    watching = asyncio.create_task(
        elsewhere.watch(thread, lambda f: at_the_end(f) and f[-1]["status"] == "completed")
    )
    assert await asyncio.to_thread(driver.terminate) == 0
    assert await driver_of(deployment, thread) is deployment.other_than(driver)
    frames = await watching
    exported = await asyncio.to_thread(person.wait, thread, is_idle)
    assert texts(exported) == [seen_text(frames)]
    assert [segment["meta"]["status"] for segment in exported["segments"]] == ["completed"]


async def test_a_short_run_ends_where_it_is_when_its_worker_is_told_to_end(
    deployment: Deployment, person: Person, model_server: ModelServer
) -> None:
    thread = person.new_thread("say 60 @30")
    driver = await driver_of(deployment, thread)
    assert await asyncio.to_thread(driver.terminate) == 0
    assert texts(person.export(thread)) == [" ".join(f"w{n}" for n in range(1, 61))]
    assert len(model_server.requests) == 1


async def test_cut_connections_of_the_database_lose_nothing(
    deployment: Deployment, person: Person, model_server: ModelServer
) -> None:
    thread = person.new_thread("say 200 @100")
    for _ in range(3):
        await asyncio.sleep(0.4)
        deployment.cut_connections()
    exported = await asyncio.to_thread(person.wait, thread, is_idle)
    assert texts(exported) == [" ".join(f"w{n}" for n in range(1, 201))]
    again = await asyncio.to_thread(person.new_thread, "say 2")
    assert texts(await asyncio.to_thread(person.wait, again, is_idle)) == ["w1 w2"]


async def test_without_workers_messages_wait_longer_than_a_lease_and_can_be_stopped(
    deployment: Deployment, person: Person, elsewhere: Person, model_server: ModelServer
) -> None:
    for worker in deployment.workers:
        worker.kill()
    first, second = person.new_thread("say 2"), person.new_thread("say 3")
    await asyncio.sleep(12)
    assert [person.export(thread)["in_flight"]["status"] for thread in (first, second)] == ["running"] * 2
    before = time.monotonic()
    assert (await asyncio.to_thread(elsewhere.post, f"/threads/{first}/stop/"))[0] < 300
    assert time.monotonic() - before < STOP_SECONDS, "it waited for an owner"
    assert person.export(first)["segments"][0]["meta"]["status"] == "stopped"
    deployment.workers[0].start()
    assert texts(await asyncio.to_thread(person.wait, second, is_idle)) == ["w1 w2 w3"]
    assert texts(person.export(first)) == []
