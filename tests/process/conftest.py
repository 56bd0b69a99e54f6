"""Processes, databases and people for the tests in this folder."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
from django.conf import settings

from tests.fakes.model_server import ModelServer
from tests.process.database import copied_database, empty_database
from tests.process.person import Person
from tests.process.server import ROOT, Server, environment_of

# Several processes need a database server and a channel layer between them. Of the two files about who drives
# a run, one is about the process that was sent it, the other about workers.
has_services = bool(settings.REDIS_URL) and not settings.IS_SQLITE
has_workers = settings.RUN_EXECUTOR == "procrastinate"
needs = {
    "test_faults.py": has_services,
    "test_faults_sqlite.py": settings.IS_SQLITE,
    "test_two_processes.py": has_services and not has_workers,
    "test_workers.py": has_services and has_workers,
}
collect_ignore = [name for name, is_there in needs.items() if not is_there]


@pytest.fixture(scope="session")
def migrated_database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Its tables are made once, which takes longer than most tests here."""
    with empty_database(tmp_path_factory.mktemp("migrated")) as url:
        migrate = [sys.executable, "manage.py", "migrate", "--verbosity=0"]
        subprocess.run(migrate, cwd=ROOT, env=environment_of(url), check=True)
        yield url


@pytest.fixture
def database_url(tmp_path: Path, migrated_database: str) -> Iterator[str]:
    """A database of the kind that the suite runs on, with all tables and no row."""
    with copied_database(migrated_database, tmp_path) as url:
        yield url


@pytest.fixture
def server_environment() -> dict[str, str]:
    """What a folder or file of tests adds to the server's environment."""
    return {}


@pytest.fixture
def server(
    tmp_path: Path, database_url: str, model_server: ModelServer, server_environment: dict[str, str]
) -> Iterator[Server]:
    """A running server whose assistant is `helper`, on the strict fake model server."""
    with running_server(tmp_path, database_url, model_server, **server_environment) as server:
        yield server


@contextmanager
def running_server(
    folder: Path, database_url: str, model_server: ModelServer, **environment: str
) -> Iterator[Server]:
    server = Server(
        folder,
        database_url,
        ASSISTANTS="tests.process.assistants:helper",
        OPENAI_BASE_URL=model_server.url,
        EFFECTS=str(folder),
        **environment,
    )
    server.start()
    yield server
    server.kill()
    assert server.tracebacks == 0, server.log.read_text()


@pytest.fixture(scope="module")
def shared_server(
    tmp_path_factory: pytest.TempPathFactory, migrated_database: str, _running_model_server: ModelServer
) -> Iterator[Server]:
    """For a file whose tests leave the process alone: it is started once."""
    folder = tmp_path_factory.mktemp("shared")
    with (
        copied_database(migrated_database, folder) as url,
        running_server(folder, url, _running_model_server) as server,
    ):
        yield server


names = (f"reader{number}" for number in count())


@pytest.fixture
def person(server: Server) -> Person:
    return Person(server, next(names)).sign_up()


@pytest.fixture
def effects(server: Server) -> Callable[[], list[str]]:
    """The names of the tools that have run, in order."""
    path = server.folder / "effects"

    def read() -> list[str]:
        return [line.split()[0] for line in path.read_text().splitlines()] if path.exists() else []

    return read


@pytest.fixture
def release(server: Server) -> Callable[[], None]:
    """Lets waiting tools go."""
    return (server.folder / "release").touch
