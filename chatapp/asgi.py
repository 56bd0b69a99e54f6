"""The ASGI application, for `manage.py serve` and any other server."""

import asyncio
import os
from typing import Any, cast

import django
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "chatapp.settings")
django.setup(set_prefix=False)

from channels.routing import URLRouter  # noqa: E402  (needs the applications)
from django.contrib.staticfiles.handlers import ASGIStaticFilesHandler  # noqa: E402
from django.urls import re_path  # noqa: E402
from servestatic import ServeStaticASGI  # noqa: E402

from chatapp.executor import server_started, server_stopping  # noqa: E402
from chatapp.handler import OneHopHandler, Receive, Scope, Send  # noqa: E402
from chatapp.routing import websocket_urlpatterns  # noqa: E402
from chatapp.sockets import DatabaseAway, OwnOriginOnly, SessionUser, close_unknown  # noqa: E402


def with_static_files(pages: OneHopHandler) -> Any:
    """Static files pass no middleware and no thread pool of ours."""
    if settings.STATIC_FROM_SOURCE:
        return ASGIStaticFilesHandler(pages)
    return ServeStaticASGI(
        pages,
        root=settings.STATIC_ROOT,
        prefix=settings.STATIC_URL,
        allow_all_origins=False,
        add_headers_function=harden,
    )


def harden(headers: Any, path: str, url: str) -> None:
    headers["X-Content-Type-Options"] = "nosniff"


last_route: Any = re_path("", cast(Any, close_unknown))  # channels routes applications where Django has views
http = with_static_files(OneHopHandler())
websocket = OwnOriginOnly(DatabaseAway(SessionUser(URLRouter([*websocket_urlpatterns, last_route]))))


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "http":
        await http(scope, receive, send)
    elif scope["type"] == "websocket":
        await websocket(scope, receive, send)
    elif scope["type"] == "lifespan":
        await lifespan(receive, send)
    else:
        raise ValueError(f"no such kind of connection: {scope['type']}")


async def lifespan(receive: Receive, send: Send) -> None:
    """For servers that have it; daphne has none, and `manage.py serve` calls the same two functions."""
    await receive()  # lifespan.startup
    server_started(asyncio.get_running_loop())
    await send({"type": "lifespan.startup.complete"})
    await receive()  # lifespan.shutdown
    await server_stopping()
    await send({"type": "lifespan.shutdown.complete"})
