"""What stands before every socket: the origin, the user, the unknown path."""

from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from django.contrib.auth.models import User
from django.db import InterfaceError, OperationalError
from django.test import Client
from pytest_django import Settings

from chatapp.sockets import (
    TRY_AGAIN,
    DatabaseAway,
    OwnOriginOnly,
    SessionUser,
    close_unknown,
    is_own_origin,
)

pytestmark = pytest.mark.services


def scope_of(**headers: str) -> dict[str, Any]:
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {"type": "websocket", "scheme": "ws", "path": "/ws/nowhere/", "headers": pairs}


@pytest.mark.parametrize(
    ("origin", "host", "own"),
    [
        ("http://localhost:8000", "localhost:8000", True),
        ("http://LOCALHOST:8000", "localhost:8000", True),
        ("http://localhost", "localhost:80", True),
        ("http://[::1]:8000", "[::1]:8000", True),
        ("", "localhost:8000", True),
        ("http://localhost:9000", "localhost:8000", False),
        ("https://localhost:8000", "localhost:8000", False),
        ("http://evil.example.org", "localhost:8000", False),
        ("http://evil.example.org", "evil.example.org", False),
        ("http://localhost.evil.example.org:8000", "localhost:8000", False),
        ("http://localhost:port", "localhost:8000", False),
        ("null", "localhost:8000", False),
        ("file://", "localhost:8000", False),
    ],
)
def test_origin(origin: str, host: str, own: bool) -> None:
    assert is_own_origin(origin, scope_of(host=host)) is own


def test_any_host_is_not_any_origin(settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    assert is_own_origin("http://chat.lan:8000", scope_of(host="chat.lan:8000"))
    assert not is_own_origin("http://evil.example.org", scope_of(host="chat.lan:8000"))


def test_the_public_url_counts_behind_a_proxy(settings: Settings) -> None:
    settings.PUBLIC_ORIGIN = "https://chat.example.org"
    assert is_own_origin("https://chat.example.org", scope_of(host="10.0.0.7:8000"))
    assert not is_own_origin("http://chat.example.org", scope_of(host="10.0.0.7:8000"))
    assert not is_own_origin("https://chat.example.org:8443", scope_of(host="10.0.0.7:8000"))


async def test_a_foreign_origin_is_refused_before_the_accept() -> None:
    scope = scope_of(host="localhost:8000", origin="http://evil.example.org")
    server = ApplicationCommunicator(OwnOriginOnly(close_unknown), scope)
    assert await server.receive_output() == {"type": "websocket.close"}


async def test_an_unknown_path_is_closed_without_a_traceback() -> None:
    from chatapp.asgi import application

    server = ApplicationCommunicator(application, scope_of(host="localhost:8000"))
    assert (await server.receive_output())["type"] == "websocket.accept"
    assert await server.receive_output() == {"type": "websocket.close", "code": 4404}
    await server.wait()


@pytest.mark.parametrize("fault", [OperationalError("gone\n\tfor now"), InterfaceError("closed")])
async def test_without_its_database_a_socket_says_come_again(fault: Exception, caplog) -> None:
    async def inner(scope: Any, receive: Any, send: Any) -> None:
        raise fault

    server = ApplicationCommunicator(DatabaseAway(inner), scope_of())
    closed = await server.receive_output()
    await server.wait()
    assert closed == {"type": "websocket.close", "code": TRY_AGAIN}
    assert 3000 <= TRY_AGAIN <= 4999  # what a server may send
    assert [(record.levelname, record.exc_info) for record in caplog.records] == [("WARNING", None)]
    assert "\n" not in caplog.text.strip()


async def user_behind(cookie: str) -> Any:
    seen: list[Any] = []

    async def inner(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope["user"])

    await ApplicationCommunicator(SessionUser(inner), scope_of(cookie=cookie)).wait()
    return seen[0]


@pytest.mark.django_db(transaction=True)
async def test_the_session_cookie_names_the_user(client: Client, user: User) -> None:
    session = client.cookies["sessionid"].value
    assert await user_behind(f"theme=dark; sessionid={session}") == user


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("cookie", ["", "sessionid=", "sessionid=made-up", "sessionid"])
async def test_without_a_session_there_is_no_user(cookie: str) -> None:
    assert not (await user_behind(cookie)).is_authenticated


@pytest.mark.django_db(transaction=True)
def test_a_changed_password_ends_the_session(client: Client, user: User) -> None:
    from chatapp.sockets import user_of

    session = client.cookies["sessionid"].value
    assert user_of(session).is_authenticated
    user.set_password("another-horse-8")
    user.save()
    assert not user_of(session).is_authenticated
