"""The ASGI handler for HTTP: one hop from the event loop to a thread for the whole request.

Django's own handler hops once for each sync middleware and view, and runs the signals on yet another thread.
Here middleware, view, signals and connection clean-up run together in one thread of a pool of our own, whose
database connections persist between requests.
"""

import asyncio
import contextvars
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import IO, Any, ParamSpec, TypeVar, cast

from django.conf import settings
from django.core import signals
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.db import close_old_connections
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.urls import set_script_prefix

P = ParamSpec("P")
T = TypeVar("T")
Scope = Mapping[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]
Deliver = Callable[[Mapping[str, Any]], None]

DELIVERY_TIMEOUT = 60

ALIVE = "/livez"

threads = ThreadPoolExecutor(max_workers=settings.WEB_THREADS, thread_name_prefix="web")
# A process whose requests all wait for a database is alive: whoever asks must not wait in line behind them.
probes = ThreadPoolExecutor(max_workers=1, thread_name_prefix="probe")


async def in_web_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Runs a sync function where requests run, in a context of its own."""
    return await _in_thread_of(threads, partial(function, *args, **kwargs))


async def _in_thread_of(pool: ThreadPoolExecutor, work: Callable[[], T]) -> T:
    context = contextvars.copy_context()
    return await asyncio.get_running_loop().run_in_executor(pool, context.run, work)


def with_connections(function: Callable[P, T]) -> Callable[P, T]:
    """For work that is no request: gives the database connections back, as a request's end does."""

    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        close_old_connections()
        try:
            return function(*args, **kwargs)
        finally:
            close_old_connections()

    return run


class OneHopHandler(ASGIHandler):
    """Serves sync views behind sync middleware. One that has begun runs to its end."""

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            body = await self.read_body(receive)
        except RequestAborted:
            return
        pool = probes if scope["path"] == ALIVE else threads
        response = await _in_thread_of(pool, partial(self.respond, scope, body, deliver_by(send)))
        if not response.streaming:
            await self.send_response(response, send)

    def respond(self, scope: Scope, body: IO[bytes], deliver: Deliver) -> HttpResponseBase:
        """In the thread: the request from its start to its end, with the signals of both."""
        set_script_prefix(get_script_prefix(scope))
        signals.request_started.send(sender=type(self), scope=scope)
        request, refusal = self.create_request(scope, body)
        response = self.get_response(request) if request else cast(HttpResponse, refusal)
        try:
            if isinstance(response, StreamingHttpResponse):
                stream(response, deliver)
        finally:
            response.close()  # sends request_finished, which gives the connections back
            body.close()
        return response


def deliver_by(send: Send) -> Deliver:
    """The loop's `send` for callers in a thread."""
    loop = asyncio.get_running_loop()

    def deliver(message: Mapping[str, Any]) -> None:
        asyncio.run_coroutine_threadsafe(_awaited(send, message), loop).result(DELIVERY_TIMEOUT)

    return deliver


async def _awaited(send: Send, message: Mapping[str, Any]) -> None:
    await send(message)


def stream(response: StreamingHttpResponse, deliver: Deliver) -> None:
    """Sends while it is made, from the one thread whose connection the content may be reading from."""
    deliver({"type": "http.response.start", "status": response.status_code, "headers": headers_of(response)})
    for chunk in response:
        deliver({"type": "http.response.body", "body": chunk, "more_body": True})
    deliver({"type": "http.response.body"})


def headers_of(response: HttpResponseBase) -> list[tuple[bytes, bytes]]:
    headers = [(name.encode("ascii"), value.encode("latin1")) for name, value in response.items()]
    cookies = [cookie.output(header="").strip() for cookie in response.cookies.values()]
    return headers + [(b"Set-Cookie", cookie.encode("ascii")) for cookie in cookies]
