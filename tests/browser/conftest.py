"""A Chromium, a server of its own process on the strict fake model server, and people who chat in it."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, ConsoleMessage

from tests.browser.chat import Chat
from tests.fakes.model_server import ModelServer
from tests.process.conftest import (  # noqa: F401  (fixtures)
    database_url,
    migrated_database,
    server,
    server_environment,
)
from tests.process.database import empty_database
from tests.process.person import Person
from tests.process.server import Server

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")
UNREACHABLE = ("ERR_CONNECTION_REFUSED", "ERR_INTERNET_DISCONNECTED", "Failed to load resource", "WebSocket")
numbers = itertools.count(1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/browser" in item.path.as_posix():
            item.add_marker("browser")


@pytest.fixture(scope="session")
def base_url() -> None:
    """In the place of a plugin's, which pytest warns of. Pages are opened by their whole address."""


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    path = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if path is None:
        pytest.skip("no Chromium was found")
    return {**browser_type_launch_args, "executable_path": path, "args": ["--no-sandbox"]}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    """Without motion, so that what is measured stands still."""
    return {**browser_context_args, "reduced_motion": "reduce", "locale": "en-US", "timezone_id": "UTC"}


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, _running_model_server: ModelServer) -> Iterator[Server]:
    """One server for all tests that leave it running."""
    folder = tmp_path_factory.mktemp("site")
    with empty_database(folder) as url:
        site = Server(
            folder,
            url,
            ASSISTANTS="tests.process.assistants:helper",
            OPENAI_BASE_URL=_running_model_server.url,
            EFFECTS=str(folder),
        )
        (folder / "release").touch()
        site.start()
        yield site
        site.kill()
    assert site.tracebacks == 0, site.log.read_text()


@pytest.fixture(autouse=True)
def _strict_model(model_server: ModelServer) -> None:
    """A history that the model server refuses fails the test."""


@pytest.fixture(autouse=True)
def _quiet_console(context: BrowserContext) -> Iterator[None]:
    """Errors in the page fail the test; a server that cannot be reached is none."""
    errors: list[str] = []

    def heard(message: ConsoleMessage) -> None:
        if message.type == "error" and not any(word in message.text for word in UNREACHABLE):
            errors.append(message.text)

    context.on("console", heard)
    context.on("weberror", lambda error: errors.append(str(error.error)))
    yield
    assert errors == []


@pytest.fixture
def person(site: Server) -> Person:
    """Somebody new, for each test."""
    return Person(site, f"person{next(numbers)}").sign_up()


@pytest.fixture
def open_chat(context: BrowserContext) -> Callable[..., Chat]:
    """Opens a tab for a person: a chat that there is, or the empty page."""

    def open_tab(person: Person, thread: str = "") -> Chat:
        context.add_cookies(
            [{"name": "sessionid", "value": person.cookie("sessionid"), "url": person.server.url}]
        )
        return Chat(context.new_page(), person.server.url).open(thread)

    return open_tab


@pytest.fixture
def chat(open_chat: Callable[..., Chat], person: Person) -> Chat:
    """The empty page of a new person."""
    return open_chat(person)
