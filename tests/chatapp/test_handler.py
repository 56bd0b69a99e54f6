"""The one-hop handler: a whole request in one thread, with its signals and its connections."""

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.core.signals import request_finished, request_started
from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse, StreamingHttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from pytest_django import Settings

from chatapp.handler import OneHopHandler

pytestmark = pytest.mark.django_db(transaction=True)


def open_view(view: Any) -> Any:
    return csrf_exempt(login_not_required(view))


@open_view
def echo(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"method": request.method, "body": request.body.decode(), "thread": thread_name()})


@open_view
def streamed(request: HttpRequest) -> HttpResponseBase:
    def chunks() -> Iterator[str]:
        yield thread_name()
        yield from (f",{user.username}" for user in User.objects.order_by("pk").iterator(chunk_size=1))

    return StreamingHttpResponse(chunks(), headers={"X-Kind": "stream"})


@open_view
def cookies(request: HttpRequest) -> HttpResponse:
    answer = HttpResponse("two")
    answer.set_cookie("a", "1")
    answer.set_cookie("b", "2")
    return answer


@open_view
def broken(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("on purpose")


handler500 = "chatapp.errors.server_error"
urlpatterns = [path(view.__name__, view) for view in (echo, streamed, cookies, broken)]


def thread_name() -> str:
    return threading.current_thread().name


@pytest.fixture(autouse=True)
def these_urls(settings: Settings) -> None:
    settings.ROOT_URLCONF = __name__


async def ask(path: str, *, method: str = "GET", body: bytes = b"") -> tuple[int, str, bytes]:
    """Status, headers and body as an ASGI server would see them."""
    scope = {"type": "http", "method": method, "path": path, "query_string": b"", "headers": HEADERS}
    server = ApplicationCommunicator(OneHopHandler(), scope)
    half = len(body) // 2
    await server.send_input({"type": "http.request", "body": body[:half], "more_body": True})
    await server.send_input({"type": "http.request", "body": body[half:]})
    start = await server.receive_output(5)
    parts = []
    while True:
        message = await server.receive_output(5)
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            break
    await server.wait(5)
    headers = "\n".join(f"{name.decode()}: {value.decode()}" for name, value in start["headers"])
    return start["status"], headers, b"".join(parts)


HEADERS = [(b"host", b"localhost"), (b"accept", b"application/json")]


async def test_the_view_runs_in_a_thread_of_the_pool() -> None:
    status, _, body = await ask("/echo", method="POST", body=b"hello")
    assert status == 200
    assert b'"body": "hello"' in body
    assert b'"thread": "web' in body


async def test_streamed_content_is_made_in_one_thread_with_its_connection() -> None:
    await asyncio.to_thread(make_users, "ada", "bob")
    status, headers, body = await ask("/streamed")
    name, *users = body.decode().split(",")
    assert (status, users) == (200, ["ada", "bob"])
    assert name.startswith("web")
    assert "X-Kind: stream" in headers


def make_users(*names: str) -> None:
    for name in names:
        User.objects.create_user(name)
    connection.close()


async def test_all_cookies_arrive() -> None:
    _, headers, _ = await ask("/cookies")
    assert headers.count("Set-Cookie") == 2


async def test_an_error_is_a_500_with_a_reason() -> None:
    status, _, body = await ask("/broken")
    assert status == 500
    assert b'"error"' in body


async def test_an_unknown_path_is_a_404() -> None:
    status, _, _ = await ask("/nothing")
    assert status == 404


async def test_signals_come_once_each_from_the_thread_of_the_request() -> None:
    seen: list[tuple[str, str]] = []

    def note(signal: Any, **kwargs: Any) -> None:
        seen.append(("started" if signal is request_started else "finished", thread_name()))

    request_started.connect(note)
    request_finished.connect(note)
    try:
        _, _, body = await ask("/echo")
    finally:
        request_started.disconnect(note)
        request_finished.disconnect(note)
    assert [name for name, _ in seen] == ["started", "finished"]
    assert len({thread for _, thread in seen}) == 1
    assert seen[0][1] in body.decode()


async def test_many_requests_at_once_all_get_their_connection() -> None:
    answers = await asyncio.gather(*(ask("/streamed") for _ in range(60)))
    assert {status for status, _, _ in answers} == {200}


async def test_a_client_that_goes_away_while_sending_is_no_request() -> None:
    scope = {"type": "http", "method": "POST", "path": "/echo", "query_string": b"", "headers": HEADERS}
    server = ApplicationCommunicator(OneHopHandler(), scope)
    await server.send_input({"type": "http.request", "body": b"half", "more_body": True})
    await server.send_input({"type": "http.disconnect"})
    await server.wait(5)
    assert await server.receive_nothing()
