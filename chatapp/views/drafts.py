"""The text of a discarded message, on its way back into the composer of a page without scripts."""

from __future__ import annotations

from django.http import HttpRequest

from chatapp.models import Thread

KEY = "drafts"


def put_back(request: HttpRequest, thread: Thread, text: str) -> None:
    request.session[KEY] = request.session.get(KEY, {}) | {str(thread.id): text}


def take(request: HttpRequest, thread: Thread) -> str:
    """ "" when there is none. It is given once."""
    drafts = request.session.get(KEY, {})
    if str(thread.id) not in drafts:
        return ""
    text = str(drafts.pop(str(thread.id)))
    request.session[KEY] = drafts
    return text
