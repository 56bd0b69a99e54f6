"""Payloads of stored XSS in every text of a chat are inert in pages, pieces, admin, exports and frames."""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from agents import tool
from agents.runtime.tool_calls import MOST_AT_ONCE
from agents.testing import call, text
from agents.transcript import AssistantTextEntry, ReasoningEntry, ToolCallEntry, ToolResultEntry
from chatapp.eventlog import read_after
from chatapp.fragments import render_step
from chatapp.history.turns import ToolStep
from chatapp.models import Thread
from tests.chatapp.conftest import DATA, ask, ended, send
from tests.chatapp.test_render_safety import ATTRIBUTES, PAYLOADS, TAGS, inspect

PAYLOADS = [
    *PAYLOADS,
    "</script><script>alert(1)</script>",
    "</textarea></title></p><img src=x onerror=alert(1)>",
]
PER_THREAD = 8
STEPS = [
    ToolStep("c1", "echo", '{"word": "x"}', "x", state="running", started_at=timezone.now(), index=1),
    ToolStep(
        "c1", "echo", '{"word": "x"}', "x", state="done", output="x", output_short="x", seconds=1.0, index=1
    ),
]
NEVER = {"iframe", "object", "embed", "applet", "base", "math", "style", "frame", "foreignobject"}
ADDRESSES = {"href", "src", "action", "formaction", "poster", "data", "xlink:href", "srcset", "cite", "ping"}
OWN = re.compile(r"(/(?![/\\])|[?#]|\.?$)")
SCHEMES = {None, "http", "https", "mailto", "tel"}


def scheme_of(address: str) -> str | None:
    """As a browser finds it, which skips what it does not expect."""
    found = re.match("([a-z][a-z0-9+.-]*):", re.sub("[\x00-\x20]", "", address), re.IGNORECASE)
    return found[1].lower() if found else None


class Page(HTMLParser):
    """Fails on what no page of ours may hold; collects what it is made of."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.tags.add(tag)
        self.attributes |= given.keys()
        assert tag not in NEVER, (tag, given)
        assert tag != "meta" or "http-equiv" not in given
        if tag == "script":
            assert given.get("type") == "application/json" or OWN.match(given["src"]), given
        for name, value in given.items():
            assert not name.startswith("on"), (tag, given)
            assert name != "srcdoc"
            if name in ADDRESSES:
                assert scheme_of(value) in SCHEMES if tag == "a" else OWN.match(value), (tag, given)


def read(answer: Any) -> Page:
    assert answer.status_code == 200
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "script-src 'self'" in answer["Content-Security-Policy"]
    page = Page()
    page.feed(answer.content.decode())
    page.close()
    return page


def turn_of(given: str) -> list[Any]:
    return [
        ask(given),
        ReasoningEntry(given),
        ToolCallEntry("c1", given, json.dumps({"word": given})),
        ToolResultEntry("c1", given),
        ToolCallEntry("c2", given, given),
        ToolResultEntry("c2", given, is_error=True),
        AssistantTextEntry(given),
    ]


def fields_of(given: str) -> dict[str, Any]:
    dropped = {"call_id": given, "name": given, "arguments": given, "started": True}
    return {
        "status": "failed",
        "assistant": given,
        "model": given,
        "error": {"type": given, "message": given, "hint": given, "status": 418, "request_id": given},
        "dropped_calls": [dropped],
    }


@pytest.fixture
def filled(make_thread, add_run, add_flight):
    """A thread whose every text is one of these."""

    def fill(*given: str) -> Thread:
        thread: Thread = make_thread(title=given[0][:80], assistant="helper")
        for one in given:
            add_run(*turn_of(one), to=thread, **fields_of(one))
        progress = {"type": "tool_progress", "call_id": "c1", "done": 1, "total": 2, "note": given[0]}
        partial = {"type": "text_delta", "index": 7, "text": given[0]}
        error = {"type": "ProviderError", "message": given[0], "hint": given[0], "request_id": given[0]}
        add_flight(*turn_of(given[0]), frames=[progress, partial], to=thread, error=error)
        thread.queue.create(position=1, run_id=str(uuid4()), content=given[0])
        return thread

    return fill


def pages_of(client, operators, thread: Thread) -> Iterator[Any]:
    piece = f"/threads/{thread.id}/"
    exported = client.get(f"{piece}export.json").json()
    runs = [*exported["segments"], exported["in_flight"]]
    for path in ("", "conversation/", "turns/?before=newest", *(f"turns/{run['run_id']}/" for run in runs)):
        yield client.get(piece + path)
    yield client.get("/sidebar/")
    yield operators.get("/admin/chatapp/thread/")
    yield operators.get(f"/admin/chatapp/thread/{thread.id}/change/")
    yield operators.get(f"/admin/chatapp/thread/{thread.id}/delete/")
    yield operators.get("/admin/agents/checkpoint/")


def test_pages_pieces_and_admin(script, client, client_for, operator, filled):
    operators = client_for(operator)
    harmless = [read(page) for page in pages_of(client, operators, filled(*["harmless"] * PER_THREAD))]
    tags = set().union(*(page.tags for page in harmless)) | TAGS
    attributes = set().union(*(page.attributes for page in harmless)) | ATTRIBUTES
    for first in range(0, len(PAYLOADS), PER_THREAD):
        for answer in pages_of(client, operators, filled(*PAYLOADS[first : first + PER_THREAD])):
            page = read(answer)
            assert page.tags <= tags, first
            assert page.attributes <= attributes, first


def test_exports_are_files_of_their_own_kind(script, client, filled):
    thread = filled(*PAYLOADS)
    for path, kind in (("export.json", "application/json"), ("export.md", "text/markdown; charset=utf-8")):
        answer = client.get(f"/threads/{thread.id}/{path}")
        assert (answer.status_code, answer["Content-Type"]) == (200, kind)
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["Content-Disposition"].startswith("attachment;")
        assert "\n" not in answer["Content-Disposition"]
    run_id = client.get(f"/threads/{thread.id}/export.json").json()["segments"][0]["run_id"]
    step = client.get(f"/threads/{thread.id}/steps/{run_id}/?call=2")
    assert (step.status_code, step["Content-Type"]) == (200, "text/plain; charset=utf-8")
    assert step["X-Content-Type-Options"] == "nosniff"


def test_frames_of_a_live_answer(script, client, thread):
    @tool
    def echo(word: str) -> str:
        """Says it again."""
        return word

    calls = [call("echo", {"word": payload}, call_id=f"c{n}") for n, payload in enumerate(PAYLOADS)]
    script(sum(calls[1:], calls[0]), text("\n\n".join(PAYLOADS)), tools=[echo])
    run_id = send(client, thread, "Go").json()["run_id"]
    ended(thread)
    frames = read_after(thread.id, run_id, 0)
    rows = [frame["html"] for frame in frames if "html" in frame]
    blocks = [html for frame in frames for _, html in frame.get("closed", ())]
    waiting = len(PAYLOADS) - MOST_AT_ONCE  # they are shown once more when they start
    assert (len(rows), len(blocks) > 50) == (2 * len(PAYLOADS) + waiting, True)
    for html in blocks:
        inspect(html)
    harmless = Page()
    harmless.feed("".join(map(render_step, STEPS)))
    for html in rows:
        page = Page()
        page.feed(html)
        assert page.tags <= harmless.tags
        assert page.attributes <= harmless.attributes


@pytest.mark.django_db
def test_answers_to_what_is_refused(client, thread):
    """An error may repeat what was asked; as a page or as data it is text."""
    for payload in PAYLOADS:
        for answer in (
            client.post(f"/threads/{thread.id}/recover/", {"action": payload}),
            client.get(f"/threads/{thread.id}/turns/", {"before": payload}),
            client.post("/threads/", {"text": "Go", "assistant": payload}),
            client.generic("<script>alert(1)</script>", f"/threads/{thread.id}/"),
        ):
            assert 400 <= answer.status_code < 500
            Page().feed(answer.content.decode())
        as_data = client.post("/threads/", {"text": "Go", "assistant": payload}, **DATA)
        assert as_data["Content-Type"] == "application/json"
