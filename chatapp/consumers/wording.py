"""The rows of steps in a reader's language. The log has each of them once, in the server's own."""

from __future__ import annotations

import json
from urllib.parse import parse_qs

from django.conf import settings
from django.utils import translation

from chatapp.consumers.database import in_reader_thread
from chatapp.eventlog.hub import encode
from chatapp.fragments import decorate_frame

DRAWN = ("tool_call", "tool_result")


def language_in_query(query: bytes) -> str:
    """The language that the reader's page is in; "" for that of the log, and for one that there is not."""
    asked = parse_qs(query.decode("utf-8", "replace")).get("lang", [""])[0]
    return asked if asked in dict(settings.LANGUAGES) and asked != settings.LANGUAGE_CODE else ""


async def worded(text: str, language: str) -> str:
    """An encoded frame in this language, drawn anew where words are in it."""
    if not language or '"html":' not in text:
        return text
    return await in_reader_thread(redrawn, text, language)


def redrawn(text: str, language: str) -> str:
    frame = json.loads(text)
    if frame["type"] not in DRAWN:
        return text
    with translation.override(language):
        return encode(frame | decorate_frame(frame))
