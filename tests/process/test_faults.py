"""Redis away, connections of the database cut: a run goes on, and its readers catch up."""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.fakes.model_server import ModelServer
from tests.process.person import Person, is_idle, seen_text, texts
from tests.process.server import Server, free_port


class Redis:
    """A Redis of our own, which may be taken away."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", ""]
        self._process = subprocess.Popen(command, cwd=self._folder, stdout=subprocess.DEVNULL)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(10)
            self._process = None


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[Redis]:
    redis = Redis(tmp_path)
    redis.start()
    yield redis
    redis.stop()


@pytest.fixture
def server_environment(redis: Redis) -> dict[str, str]:
    return {"REDIS_URL": redis.url}


@pytest.fixture
def elsewhere(server: Server, person: Person, tmp_path: Path) -> Iterator[Person]:
    """The same person at a second process on the same database."""
    other = Server(tmp_path, "")
    other.log = tmp_path / "other.log"
    other.environment = {**server.environment, "PORT": str(other.port)}
    other.start()
    twin = Person(other, person.name)
    twin.jar = person.jar
    twin.use_jar()
    yield twin
    other.kill()
    assert other.tracebacks == 0, other.log.read_text()


def at_the_end(frames: list[dict]) -> bool:
    return bool(frames) and frames[-1]["type"] == "run_finished"


async def test_without_redis_a_run_goes_on_and_readers_elsewhere_catch_up(
    redis: Redis, person: Person, elsewhere: Person, model_server: ModelServer
) -> None:
    thread = person.new_thread("say 300 @100")
    near = asyncio.create_task(person.watch(thread, at_the_end))
    far = asyncio.create_task(elsewhere.watch(thread, at_the_end))
    await model_server.until(lambda: model_server.requests and model_server.requests[-1].tokens >= 50)
    redis.stop()
    whole = " ".join(f"w{n}" for n in range(1, 301))
    assert seen_text(await near) == whole
    assert seen_text(await far) == whole
    assert texts(await asyncio.to_thread(person.wait, thread, is_idle)) == [whole]


async def test_when_redis_is_back_so_is_the_news(
    redis: Redis, person: Person, elsewhere: Person, model_server: ModelServer
) -> None:
    redis.stop()
    first = await asyncio.to_thread(person.new_thread, "say 5")
    await asyncio.to_thread(person.wait, first, is_idle)
    redis.start()
    await asyncio.sleep(3)
    thread = await asyncio.to_thread(person.new_thread, "say 150 @50")
    before = time.monotonic()
    frames = await elsewhere.watch(thread, lambda frames: len(seen_text(frames)) > 100)
    assert time.monotonic() - before < 8, "the heartbeat brought it, not the relay"
    assert seen_text(frames).startswith("w1 w2 w3")


async def test_cut_connections_of_the_database_lose_nothing(
    person: Person, database_url: str, model_server: ModelServer
) -> None:
    thread = person.new_thread("say 300 @100")
    watching = asyncio.create_task(person.watch(thread, at_the_end))
    name = database_url.rpartition("/")[2]
    for _ in range(4):
        await asyncio.sleep(0.5)
        await asyncio.to_thread(cut_connections, database_url, name)
    frames = await watching
    whole = " ".join(f"w{n}" for n in range(1, 301))
    assert seen_text(frames) == whole
    assert texts(await asyncio.to_thread(person.wait, thread, is_idle)) == [whole]


def cut_connections(url: str, name: str) -> None:
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = %s AND pid <> pg_backend_pid()",
            [name],
        )
