"""The application as a server sees it."""

import threading
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from django.conf import settings

from chatapp import executor, handler
from chatapp.asgi import application

pytestmark = pytest.mark.services

HEADERS = [(b"host", b"localhost"), (b"accept", b"text/html")]


@pytest.mark.django_db(transaction=True)
async def test_lifespan_starts_and_ends_the_background_work() -> None:
    server = ApplicationCommunicator(application, {"type": "lifespan"})
    await server.send_input({"type": "lifespan.startup"})
    assert await server.receive_output(5) == {"type": "lifespan.startup.complete"}
    assert not executor.get().is_stopping
    await server.send_input({"type": "lifespan.shutdown"})
    assert await server.receive_output(10) == {"type": "lifespan.shutdown.complete"}
    assert executor.get().is_stopping


async def get(path: str) -> dict[str, Any]:
    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": HEADERS}
    server = ApplicationCommunicator(application, scope)
    await server.send_input({"type": "http.request", "body": b""})
    start: dict[str, Any] = await server.receive_output(5)
    while (await server.receive_output(5)).get("more_body"):
        pass
    await server.wait(5)
    return start


@pytest.mark.django_db(transaction=True)
async def test_pages_and_static_files_are_served() -> None:
    assert (await get("/accounts/login/"))["status"] == 200
    assert (await get("/static/chatapp/css/tokens.css"))["status"] == 200
    assert (await get("/static/chatapp/css/../../settings.py"))["status"] == 404


async def test_a_process_whose_requests_all_wait_is_alive() -> None:
    goes_on = threading.Event()
    waiting = [handler.threads.submit(goes_on.wait) for _ in range(settings.WEB_THREADS)]
    try:
        assert (await get("/livez"))["status"] == 200
    finally:
        goes_on.set()
    assert all(work.result(5) for work in waiting)


async def test_another_kind_of_connection_is_an_error() -> None:
    server = ApplicationCommunicator(application, {"type": "carrier pigeon"})
    with pytest.raises(ValueError, match="carrier pigeon"):
        await server.receive_output(1)
