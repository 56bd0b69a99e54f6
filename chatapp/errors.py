"""How an error is answered: a page for people, `{"error", "hint"}` for scripts and htmx."""

import sys
from http import HTTPStatus

from django.core.exceptions import DisallowedHost, RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.template.loader import select_template
from django.utils.translation import gettext as _


def wants_json(request: HttpRequest) -> bool:
    """htmx, and whoever sends an Accept without text/html."""
    if request.headers.get("HX-Request"):
        return True
    accept = request.headers.get("Accept")
    return accept is not None and "text/html" not in accept


def error_json(status: int, error: str, hint: str = "") -> JsonResponse:
    return JsonResponse({"error": error, "hint": hint}, status=status)


def error_response(request: HttpRequest, status: int, error: str, hint: str = "") -> HttpResponse:
    """The answer for a status of 400 and above, in the form that the request asks for."""
    if wants_json(request):
        return error_json(status, error, hint)
    page = select_template([f"{status}.html", "error.html"])
    context = {"status": status, "reason": HTTPStatus(status).phrase, "error": error, "hint": hint}
    return HttpResponse(page.render(context, request), status=status)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if isinstance(exception, RequestDataTooBig | TooManyFieldsSent | TooManyFilesSent):
        return error_response(request, 400, _("The message is too long."), _("Shorten it, then send again."))
    hint = _("Reload the page and try again.")
    if isinstance(exception, DisallowedHost):
        hint = _("If the address is right, ask the operator to add it to ALLOWED_HOSTS.")
    return error_response(request, 400, _("This request cannot be understood."), hint)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_response(request, 403, _("You may not do this."))


def not_found(request: HttpRequest, exception: Http404) -> HttpResponse:
    return error_response(request, 404, _("There is nothing here."), _("It may have been deleted."))


def server_error(request: HttpRequest) -> HttpResponse:
    if isinstance(sys.exc_info()[1], OperationalError | InterfaceError):
        return unavailable(request)
    return error_response(request, 500, _("Something went wrong on the server."), _("It has been logged."))


def unavailable(request: HttpRequest) -> HttpResponse:
    """The database is away, locked, or out of room. Each command is one transaction: it was done, or not."""
    hint = _("Try again in a moment. If it stays so, tell whoever runs this server.")
    return error_response(request, 503, _("Nothing can be saved or read here right now."), hint)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    hint = _("Reload the page and try again.")
    return error_response(request, 403, _("This page is out of date."), hint)
