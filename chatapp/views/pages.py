"""Whole pages: the empty new chat, and a thread."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from chatapp.assistants import default_assistant, examples, is_demo
from chatapp.fragments import texts_of
from chatapp.history.pages import load_page
from chatapp.history.sidebar import load_sidebar
from chatapp.models import Thread
from chatapp.views import drafts
from chatapp.views.access import get_thread, owner_of, page
from chatapp.views.seen import mark_seen


@page
def home(request: HttpRequest) -> HttpResponse:
    agent = default_assistant()
    context = {"assistant": agent.name, "examples": examples(agent), "is_demo": is_demo(agent)}
    return render(request, "chatapp/home.html", shell(request) | context)


@page
def thread(request: HttpRequest, thread_id: UUID) -> HttpResponse:
    thread = get_thread(request, thread_id)
    shown = load_page(thread)
    mark_seen(thread, shown.status)
    context = {
        "thread": thread,
        "page": shown,
        "texts": texts_of(thread.id, shown.turns),
        "assistant": thread.assistant,
        "draft": drafts.take(request, thread),
    }
    return render(request, "chatapp/thread.html", shell(request, thread) | context)


def shell(request: HttpRequest, thread: Thread | None = None) -> dict[str, Any]:
    """What stands around every page: the list of chats."""
    return {"sidebar": load_sidebar(owner_of(request), selected=thread.id if thread else None)}
