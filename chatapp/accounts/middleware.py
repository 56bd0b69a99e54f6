"""Every page needs a login unless its view says otherwise; times are shown in the reader's own zone."""

import zoneinfo
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from django.contrib.auth import middleware
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _

from chatapp.errors import error_json, wants_json

TIME_ZONE_COOKIE = "timezone"


class LoginRequiredMiddleware(middleware.LoginRequiredMiddleware):
    """Redirects pages to the login; tells scripts and htmx with a 401, which they can act on."""

    def handle_no_permission(  # type: ignore[override]  # the base class only redirects
        self, request: HttpRequest, view_func: Callable[..., Any]
    ) -> HttpResponseBase:
        if wants_json(request):
            return error_json(401, _("You are not logged in."), _("Log in and try again."))
        return super().handle_no_permission(request, view_func)


class TimeZoneMiddleware:
    """The page's script stores the browser's zone in a cookie."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with timezone.override(zone_named(request.COOKIES.get(TIME_ZONE_COOKIE, ""))):
            return self.get_response(request)


def zone_named(name: str) -> zoneinfo.ZoneInfo | None:
    """None, which stands for the server's zone, when there is no such name. Scripts escape it."""
    try:
        return zoneinfo.ZoneInfo(unquote(name)) if name else None
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return None
