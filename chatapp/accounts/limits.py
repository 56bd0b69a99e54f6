"""How often one user may start a run. Sign-up and login have allauth's own limits."""

import time
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.translation import gettext as _

from chatapp.errors import error_response

WINDOW = 60
LIMITED = frozenset({"threads", "messages", "edit", "regenerate", "recover"})  # names of URLs


class SendLimitMiddleware:
    """Answers 429 beyond SEND_LIMIT commands a minute; 0 is no limit."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        if is_limited(request) and count(request.user.pk or 0) > settings.SEND_LIMIT:
            return too_many(request)
        return None


def is_limited(request: HttpRequest) -> bool:
    match = request.resolver_match
    return (
        bool(settings.SEND_LIMIT)
        and request.method == "POST"
        and match is not None
        and match.url_name in LIMITED
    )


def count(user_id: int) -> int:
    """This command, and those before it in the same minute."""
    key = f"sent:{user_id}:{int(time.time() // WINDOW)}"
    cache.add(key, 0, timeout=2 * WINDOW)
    return cache.incr(key)


def too_many(request: HttpRequest) -> HttpResponse:
    wait = WINDOW - int(time.time() % WINDOW)
    hint = _("Try again in %(seconds)s seconds.") % {"seconds": wait}
    answer = error_response(request, 429, _("You are sending too fast."), hint)
    answer["Retry-After"] = str(wait)
    return answer
