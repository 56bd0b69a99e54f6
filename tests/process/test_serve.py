"""`manage.py serve` and `make run`: preparing, saying where, and ending on every kind of signal.

What no database has a part in is tried on one.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from django.conf import settings

from tests.process.database import empty_database
from tests.process.server import ROOT, free_port

SERVE = [sys.executable, "manage.py", "serve"]
MOST_BYTES = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
KEY = "only-for-tests-0123456789-0123456789-0123456789"


class Served:
    """A server started by some command, in a process group of its own."""

    def __init__(self, command: list[str], folder: Path, database_url: str, **env: str) -> None:
        self.port = int(env.get("PORT", free_port()))
        self.log = folder / "serve.log"
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("DJANGO_")},
            "DATABASE_URL": database_url,
            "SECRET_KEY": KEY,
            "PORT": str(self.port),
            **env,
        }
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True
            )

    def wait_until_alive(self, seconds: float = 60) -> None:
        deadline = time.monotonic() + seconds
        while not self.answers():
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.05)

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=2) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def end(self, *signals: signal.Signals, group: bool = False) -> int:
        for which in signals:
            if group:
                os.killpg(self.process.pid, which)
            else:
                self.process.send_signal(which)
        return self.process.wait(40)


@pytest.fixture(scope="module")
def prepared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Once one server has collected the static files there."""
    return tmp_path_factory.mktemp("prepared")


@pytest.fixture
def serve(tmp_path: Path, prepared_folder: Path, database_url: str):
    """Starts servers on a database with all tables and no row."""
    with starting(tmp_path, database_url, VAR_DIR=str(prepared_folder)) as start:
        yield start


@pytest.fixture
def serve_first(tmp_path: Path):
    """On a database without any table: the first start makes them."""
    with empty_database(tmp_path) as url, starting(tmp_path, url, VAR_DIR=str(tmp_path / "var")) as start:
        yield start


@contextmanager
def starting(folder: Path, database_url: str, **environment: str) -> Iterator[Callable[..., Served]]:
    served: list[Served] = []

    def start(*command: str, **more: str) -> Served:
        served.append(Served(list(command) or SERVE, folder, database_url, **environment, **more))
        return served[-1]

    yield start
    for one in served:
        with suppress(ProcessLookupError):
            os.killpg(one.process.pid, signal.SIGKILL)
        one.process.wait(5)


def test_a_second_start_finds_all_prepared(serve_first, tmp_path: Path) -> None:
    first = serve_first()
    first.wait_until_alive()
    assert first.end(signal.SIGTERM) == 0
    static = tmp_path / "var" / "static"
    collected = {path: path.stat().st_mtime_ns for path in static.rglob("*")}
    assert len(collected) > 100
    serve_first().wait_until_alive()
    assert {path: path.stat().st_mtime_ns for path in static.rglob("*")} == collected
    assert "Traceback" not in first.log.read_text()


@pytest.mark.parametrize(
    ("signals", "group"),
    [
        ([signal.SIGTERM], False),
        ([signal.SIGINT], False),
        ([signal.SIGTERM, signal.SIGTERM], False),
        ([signal.SIGINT, signal.SIGTERM], True),
    ],
)
def test_it_ends_cleanly(serve, signals: list[signal.Signals], group: bool) -> None:
    server = serve()
    server.wait_until_alive()
    assert server.end(*signals, group=group) == 0
    assert not server.answers()
    assert "Traceback" not in server.log.read_text()


@pytest.mark.only("sqlite")
@pytest.mark.parametrize(
    ("which", "group"),
    [
        (signal.SIGTERM, False),
        (signal.SIGTERM, True),
        (signal.SIGINT, True),
    ],  # a terminal's ^C goes to the group
)
def test_make_takes_the_server_with_it(serve, which: signal.Signals, group: bool) -> None:
    make = serve("make", "run")
    make.wait_until_alive()
    make.end(which, group=group)
    wait_until(lambda: not make.answers())


def wait_until(condition, seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.only("sqlite")
def test_it_says_where_it_serves(serve) -> None:
    server = serve()
    server.wait_until_alive()
    assert f"Serving on http://127.0.0.1:{server.port}/" in server.log.read_text()
    assert "signup" not in server.log.read_text()


@pytest.mark.only("sqlite")
def test_in_a_network_it_prints_the_token_until_there_is_an_account(serve) -> None:
    server = serve(HOST="0.0.0.0")
    server.wait_until_alive()
    assert "/accounts/signup/?token=" in server.log.read_text()


@pytest.mark.only("sqlite")
def test_a_port_in_use_is_said_in_one_line(serve) -> None:
    first = serve()
    first.wait_until_alive()
    second = serve(PORT=str(first.port))
    assert second.process.wait(30) == 1
    assert "Cannot serve: " in second.log.read_text()
    assert "Traceback" not in second.log.read_text()


@pytest.mark.only("sqlite")
def test_a_database_that_is_not_there_is_said_in_one_line(serve, tmp_path: Path) -> None:
    server = serve(DATABASE_URL=f"sqlite:///{tmp_path}/no/such/folder/chat.sqlite3")
    assert server.process.wait(30) == 1
    assert "The database cannot be used: unable to open database file" in server.log.read_text()
    assert "Traceback" not in server.log.read_text()


def test_two_at_once_prepare_one_empty_database(serve_first) -> None:
    for server in [serve_first(), serve_first()]:
        server.wait_until_alive()
        assert "Traceback" not in server.log.read_text()


@pytest.mark.only("sqlite")
@pytest.mark.parametrize("is_chunked", [False, True])
def test_a_body_that_is_longer_than_any_form_is_refused_before_it_is_read(serve, is_chunked: bool) -> None:
    server = serve()
    server.wait_until_alive()
    status, sent = post_endlessly(server.port, is_chunked=is_chunked)
    assert status in (b"413", b"")  # "": the connection was closed before the answer was read
    assert sent < 2 * MOST_BYTES
    assert server.answers()
    assert "Traceback" not in server.log.read_text()


def post_endlessly(port: int, *, is_chunked: bool) -> tuple[bytes, int]:
    """Sends until the server closes. → the status that it said, and the bytes that went out"""
    length = b"Transfer-Encoding: chunked" if is_chunked else b"Content-Length: 1000000000"
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.settimeout(20)
        connection.sendall(b"POST /threads/ HTTP/1.1\r\nHost: localhost\r\n" + length + b"\r\n\r\n")
        piece = b"10000\r\n" + b"x" * 2**16 + b"\r\n" if is_chunked else b"x" * 2**16
        sent = 0
        with suppress(ConnectionError):
            while sent < 4 * MOST_BYTES:
                connection.sendall(piece)
                sent += len(piece)
        with suppress(ConnectionError):
            return connection.recv(100)[9:12], sent
        return b"", sent
