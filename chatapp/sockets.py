"""What stands before every WebSocket: own origin only, the user of the session cookie, no unknown path."""

import logging
from contextlib import suppress
from importlib import import_module
from typing import Any
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.auth.models import AnonymousUser, User
from django.db import Error as DatabaseFault
from django.http import HttpRequest, parse_cookie
from django.http.request import split_domain_port, validate_host

from chatapp.handler import Receive, Scope, Send, in_web_thread, with_connections

logger = logging.getLogger(__name__)

DEFAULT_PORTS = {"http": 80, "https": 443}
NOT_THERE = 4404
TRY_AGAIN = 4503  # a server may send 1000 and 3000 to 4999, and no other code


class OwnOriginOnly:
    """Refuses a page of another origin, which would come with our user's cookie. Programs send no Origin."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if is_own_origin(header(scope, b"origin"), scope):
            await self.inner(scope, receive, send)
        else:
            await send({"type": "websocket.close"})  # before an accept: the handshake answers 403


class DatabaseAway:
    """A socket that cannot be served for now: one line in the log, and the page comes back by itself."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self.inner(scope, receive, send)
        except DatabaseFault as error:
            logger.warning("socket: %s", " ".join(str(error).split()))
            with suppress(OSError):  # some servers raise when the client has gone
                await send({"type": "websocket.close", "code": TRY_AGAIN})


class SessionUser:
    """Adds `user` and `session_key` to the scope."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        key = parse_cookie(header(scope, b"cookie")).get(settings.SESSION_COOKIE_NAME, "")
        user = await in_web_thread(with_connections(user_of), key) if key else AnonymousUser()
        await self.inner({**scope, "user": user, "session_key": key}, receive, send)


async def close_unknown(scope: Scope, receive: Receive, send: Send) -> None:
    """The last route. Accepted first, since a code only arrives on an open socket."""
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.close", "code": NOT_THERE})


def user_of(session_key: str) -> User | AnonymousUser:
    """As for a page: a session that ended, or whose password was changed since, has no user."""
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    user: User | AnonymousUser = get_user(request)
    return user


def is_own_origin(origin: str, scope: Scope) -> bool:
    """Scheme, host and port must be those of PUBLIC_URL, or those that the request itself was sent to.

    The latter only for a host of ALLOWED_HOSTS; "*" there allows any name for the server, not any origin.
    """
    if not origin:
        return True
    given = urlsplit(origin)
    if not given.hostname or given.scheme not in DEFAULT_PORTS:
        return False
    return place(given) == place(urlsplit(settings.PUBLIC_ORIGIN)) or is_same_host(given, scope)


def is_same_host(origin: SplitResult, scope: Scope) -> bool:
    host = header(scope, b"host").lower()
    if not validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS):
        return False
    return place(origin) == place(urlsplit(f"{scheme_of(scope)}://{host}"))


def scheme_of(scope: Scope) -> str:
    if settings.IS_HTTPS and header(scope, b"x-forwarded-proto") == "https":
        return "https"
    return "https" if scope.get("scheme") in ("wss", "https") else "http"


def place(url: SplitResult) -> tuple[str, str | None, int | None]:
    try:
        port = url.port
    except ValueError:
        port = -1
    return url.scheme, url.hostname, port or DEFAULT_PORTS.get(url.scheme)


def header(scope: Scope, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")
