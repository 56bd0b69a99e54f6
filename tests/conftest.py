"""Fixtures that all tests share. Those of the fake model server come from tests/fakes."""

import itertools
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.db.backends.postgresql.operations import DatabaseOperations
from django.test import Client

from agents.stores.orm.threads import close_connections

if find_spec("tests.fakes.fixtures"):
    pytest_plugins = ["tests.fakes.fixtures"]

MakeUser = Callable[..., User]
DATABASE = frozenset({"db", "transactional_db", "database_url", "deployment", "serve_first", "shared_server"})
PASSWORD = "correct-horse-7"


def pytest_unconfigure() -> None:
    """SQLite leaves its side files where a thread still has the database open that is removed."""
    name = connection.settings_dict["TEST"]["NAME"]
    if connection.vendor == "sqlite" and name:
        for end in ("-wal", "-shm"):
            Path(f"{name}{end}").unlink(missing_ok=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks what asks the database, and leaves out what is about another one, or another executor."""
    for item in items:
        if item.get_closest_marker("django_db") or DATABASE.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("services")
    here = {connection.vendor.removesuffix("ql"), settings.RUN_EXECUTOR}
    wanted = {item: item.get_closest_marker("only") for item in items}
    others = [item for item, only in wanted.items() if only and not here.intersection(only.args)]
    if others:
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if item not in others]


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> Iterator[None]:
    """A database that somebody has open cannot be dropped."""
    yield
    close_connections()


@pytest.fixture(scope="session", autouse=True)
def emptied_by_deleting() -> Iterator[None]:
    """After a test Django truncates all tables, which waits for the disk; Postgres deletes a few rows a
    hundred times as fast. Its foreign keys are looked at when the deletions are committed."""

    def deletions(operations: DatabaseOperations, style: Any, tables: list[str], **options: Any) -> list[str]:
        return [f"DELETE FROM {operations.quote_name(table)}" for table in tables]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DatabaseOperations, "sql_flush", deletions)
        yield


@pytest.fixture
def make_user(db: None) -> MakeUser:
    """Makes users with names of their own: `make_user()`, `make_user("ada", is_staff=True)`."""
    numbers = itertools.count(1)

    def make(username: str = "", **fields: Any) -> User:
        name = username or f"user{next(numbers)}"
        return User.objects.create_user(name, password=PASSWORD, **fields)

    return make


@pytest.fixture
def user(make_user: MakeUser) -> User:
    return make_user("owner")


@pytest.fixture
def stranger(make_user: MakeUser) -> User:
    return make_user("stranger")


@pytest.fixture
def operator(make_user: MakeUser) -> User:
    return make_user("operator", is_staff=True, is_superuser=True)


@pytest.fixture
def client_for() -> Callable[[User], Client]:
    """A browser that this user is logged in with."""

    def log_in(user: User) -> Client:
        client = Client()
        client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
        return client

    return log_in


@pytest.fixture
def client(client_for: Callable[[User], Client], user: User) -> Client:
    """The owner's browser."""
    return client_for(user)


@pytest.fixture
def anonymous() -> Client:
    return Client()
