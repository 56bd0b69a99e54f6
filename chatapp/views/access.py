"""How a view gets at a thread, and how it answers. Permission is how you get the object."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast
from uuid import UUID

from django import forms
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _

from agents.errors import UserError
from chatapp.errors import error_response
from chatapp.forms import reason
from chatapp.history.cursor import BadCursor
from chatapp.models import Thread
from chatapp.models.by_hand import find
from chatapp.services.errors import Invalid

F = TypeVar("F", bound=forms.Form)
View = Callable[..., HttpResponse]


class SeeOther(HttpResponse):
    """303: the answer to a form is another page."""

    status_code = 303

    def __init__(self, location: str) -> None:
        super().__init__(headers={"Location": location})


def owner_of(request: HttpRequest) -> User:
    """The user behind the request; the middleware lets nobody in without one."""
    return cast(User, request.user)


def get_thread(request: HttpRequest, thread_id: UUID) -> Thread:
    """The user's own thread. Somebody else's is as absent as one that never was."""
    thread = find(Thread, id=thread_id, owner_id=owner_of(request).pk)
    if thread is None:
        raise Http404
    return thread


def refusals(view: View) -> View:
    """Turns a UserError into its 4xx, as a page or as `{"error", "hint"}`."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except UserError as error:
            return error_response(request, status_of(error), str(error), error.hint)
        except Thread.DoesNotExist as error:
            raise Http404 from error  # deleted in another window, between the look and the lock

    return answer


def command(view: View) -> View:
    """A POST that changes something: other methods get 405, refusals their 4xx."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method != "POST":
            return not_allowed(request, "POST")
        return refusals(view)(request, *args, **kwargs)

    return answer


def page(view: View) -> View:
    """A read: only GET and HEAD."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method not in ("GET", "HEAD"):
            return not_allowed(request, "GET, HEAD")
        shown = refusals(view)(request, *args, **kwargs)
        patch_cache_control(shown, private=True, no_cache=True)
        return shown

    return answer


def not_allowed(request: HttpRequest, methods: str) -> HttpResponse:
    answer = error_response(request, 405, _("This address does not take %s.") % request.method)
    answer["Allow"] = methods
    return answer


def status_of(error: UserError) -> int:
    """400 for what is wrong in itself, 409 for what does not fit the state of the thread."""
    return 400 if isinstance(error, Invalid | BadCursor) else 409


def valid(form: F) -> F:
    """The form, checked. Raises Invalid with the first thing that is wrong."""
    if not form.is_valid():
        raise Invalid(reason(form))
    return form


def is_script(request: HttpRequest) -> bool:
    """The page's own script, which cannot see where a redirect leads."""
    return bool(request.headers.get("X-Requested-With") or request.headers.get("HX-Request"))


def is_plain_form(request: HttpRequest) -> bool:
    """A form of the page, sent by a browser without scripts: it expects a page."""
    return not is_script(request) and "text/html" in request.headers.get("Accept", "")


def answer_command(request: HttpRequest, url: str, data: dict[str, Any]) -> HttpResponse:
    """Data, unless a plain form of the page asks: it gets the page that shows the result."""
    return SeeOther(url) if is_plain_form(request) else JsonResponse(data)
