"""Processes, databases and people for the tests in this folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from django.conf import settings

from tests.fakes.model_server import ModelServer
from tests.process.person import Person
from tests.process.server import Server

# Several processes need a database server and a channel layer between them.
collect_ignore = (
    [] if settings.REDIS_URL and not settings.IS_SQLITE else ["test_two_processes.py", "test_faults.py"]
)


@pytest.fixture
def database_url(tmp_path: Path) -> Iterator[str]:
    """An empty database of the kind that the suite runs on."""
    config = settings.DATABASES["default"]
    if config["ENGINE"].endswith("sqlite3"):
        yield f"sqlite:///{tmp_path / 'chat.sqlite3'}"
        return
    where = f"{config['USER']}:{config['PASSWORD']}@{config['HOST']}:{config['PORT'] or 5432}"
    name = f"chatapp_process_{tmp_path.parent.name}_{tmp_path.name}".replace("-", "_").lower()[-60:]
    with psycopg.connect(f"postgres://{where}/postgres", autocommit=True) as admin:
        admin.execute(f'CREATE DATABASE "{name}"')
        yield f"postgres://{where}/{name}"
        admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture
def server_environment() -> dict[str, str]:
    """What a folder or file of tests adds to the server's environment."""
    return {}


@pytest.fixture
def server(
    tmp_path: Path, database_url: str, model_server: ModelServer, server_environment: dict[str, str]
) -> Iterator[Server]:
    """A running server whose assistant is `helper`, on the strict fake model server."""
    server = Server(
        tmp_path,
        database_url,
        ASSISTANTS="tests.process.assistants:helper",
        OPENAI_BASE_URL=model_server.url,
        EFFECTS=str(tmp_path),
        **server_environment,
    )
    server.start()
    yield server
    server.kill()
    assert server.tracebacks == 0, server.log.read_text()


@pytest.fixture
def person(server: Server) -> Person:
    return Person(server, "mara").sign_up()


@pytest.fixture
def effects(tmp_path: Path) -> Callable[[], list[str]]:
    """The names of the tools that have run, in order."""

    def read() -> list[str]:
        path = tmp_path / "effects"
        return [line.split()[0] for line in path.read_text().splitlines()] if path.exists() else []

    return read


@pytest.fixture
def release(tmp_path: Path) -> Callable[[], None]:
    """Lets waiting tools go."""
    return (tmp_path / "release").touch
