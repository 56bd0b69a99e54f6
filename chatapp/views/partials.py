"""Pieces of a page, for the scripts and htmx: one turn, older turns, the conversation, the list of chats."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from chatapp.fragments import texts_of
from chatapp.history.pages import load_page, load_turn
from chatapp.history.sidebar import load_sidebar
from chatapp.history.turns import ThreadPage
from chatapp.models import Thread
from chatapp.views.access import get_thread, owner_of, page
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
    thread = get_thread(request, thread_id)
    shown = load_page(thread, before=request.GET.get("before") or None)
    return render(request, "chatapp/conversation/_turns.html", turns_context(thread, shown))


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
