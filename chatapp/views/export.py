"""A thread to take away."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.http import content_disposition_header
from django.utils.text import slugify

from chatapp.export import thread_as_json, thread_as_markdown
from chatapp.models import Thread
from chatapp.views.access import get_thread, page


@page
def as_json(request: HttpRequest, thread_id: UUID) -> HttpResponse:
    thread = get_thread(request, thread_id)
    answer = JsonResponse(thread_as_json(thread), json_dumps_params={"ensure_ascii": False})
    return named(answer, thread, "json")


@page
def as_markdown(request: HttpRequest, thread_id: UUID) -> HttpResponse:
    thread = get_thread(request, thread_id)
    answer = HttpResponse(thread_as_markdown(thread), content_type="text/markdown; charset=utf-8")
    return named(answer, thread, "md")


def named(answer: HttpResponse, thread: Thread, ending: str) -> HttpResponse:
    name = slugify(thread.title, allow_unicode=True) or "chat"
    disposition = content_disposition_header(as_attachment=True, filename=f"{name}.{ending}")
    assert disposition is not None
    answer["Content-Disposition"] = disposition
    return answer
