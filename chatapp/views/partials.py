"""Pieces of a page, for the scripts and htmx: one turn, older turns, the conversation, the list of chats."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from chatapp.fragments import texts_of
from chatapp.history.pages import ALL, load_page, load_turn
from chatapp.history.sidebar import load_sidebar
from chatapp.history.turns import ThreadPage, ToolStep
from chatapp.models import Thread
from chatapp.views.access import get_thread, is_script, owner_of, page
from chatapp.views.pages import shell
from chatapp.views.seen import mark_seen


@page
def turn(request: HttpRequest, thread_id: UUID, run_id: str) -> HttpResponse:
    thread = get_thread(request, thread_id)
    shown = load_turn(thread, run_id)
    if shown is None:
        raise Http404(_("This answer is not here any more."))
    mark_seen(thread, "running" if shown.is_live else "idle")
    context = {"thread": thread, "turn": shown, "texts": texts_of(thread.id, [shown])}
    return render(request, "chatapp/conversation/_turn.html", context)


@page
def older(request: HttpRequest, thread_id: UUID) -> HttpResponse:
    """Older turns: the pieces for a script, a page of its own where there is none."""
    thread = get_thread(request, thread_id)
    shown = load_page(thread, before=request.GET.get("before") or None)
    context = turns_context(thread, shown)
    if is_script(request):
        return render(request, "chatapp/conversation/_turns.html", context)
    return render(request, "chatapp/older.html", shell(request, thread) | context)


@page
def step(request: HttpRequest, thread_id: UUID, run_id: str) -> HttpResponse:
    """What one call was given (`of=arguments`) or has answered, in full: a page shows only so much of it."""
    thread = get_thread(request, thread_id)
    shown = load_turn(thread, run_id, limit=ALL)
    calls = [part for part in shown.parts if isinstance(part, ToolStep)] if shown else []
    call = next((call for call in calls if str(call.index) == request.GET.get("call")), None)
    text = call and (call.arguments if request.GET.get("of") == "arguments" else call.output)
    if text is None:
        raise Http404(_("This step is not here any more."))
    return HttpResponse(text, content_type="text/plain; charset=utf-8")


@page
def conversation(request: HttpRequest, thread_id: UUID) -> HttpResponse:
    thread = get_thread(request, thread_id)
    shown = load_page(thread)
    mark_seen(thread, shown.status)
    return render(request, "chatapp/conversation/_conversation.html", turns_context(thread, shown))


@page
def sidebar(request: HttpRequest) -> HttpResponse:
    shown = load_sidebar(
        owner_of(request),
        selected=uuid_or_none(request.GET.get("thread", "")),
        before=request.GET.get("before") or None,
    )
    return render(request, "chatapp/sidebar/_chats.html", {"sidebar": shown})


def turns_context(thread: Thread, shown: ThreadPage) -> dict[str, Any]:
    return {"thread": thread, "page": shown, "texts": texts_of(thread.id, shown.turns)}


def uuid_or_none(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
