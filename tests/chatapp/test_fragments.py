"""The HTML of turns and steps: every state in words, and nothing unescaped."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from django.template.loader import render_to_string
from django.utils import timezone, translation

from chatapp import executor
from chatapp.fragments import decorate_frame, render_step
from chatapp.history.turns import (
    HandoverPart,
    Message,
    Part,
    PreparingPart,
    Progress,
    ReasoningPart,
    Recover,
    Retry,
    TextPart,
    ToolStep,
    Turn,
    UnreadablePart,
)

THREAD = SimpleNamespace(id=UUID(int=7), assistant="Helper")
AT = datetime(2026, 5, 4, 14, 46, tzinfo=UTC)
CALL: dict[str, Any] = {
    "call_id": "c1",
    "name": "lookup",
    "arguments": '{"word": "x"}',
    "arguments_short": '"x"',
}


@pytest.fixture(autouse=True)
def english():
    with translation.override("en"), timezone.override("UTC"):
        yield


def turn(*parts: Part, state: Any = "completed", **fields: Any) -> Turn:
    fields = {"assistant": "Helper", "last": True, "finished_at": AT} | fields
    return Turn("r1", state, Message("r1:0", "How much?", (), AT), parts, **fields)


def step(state: Any = "done", **fields: Any) -> ToolStep:
    answered = {"output": "42", "output_short": "42", "seconds": 0.5} if state in ("done", "error") else {}
    return ToolStep(**(CALL | answered | {"state": state, "index": 1} | fields))


def html(*parts: Part, record: bool = False, **fields: Any) -> str:
    context = {"turn": turn(*parts, **fields), "thread": THREAD, "is_record": record}
    return render_to_string("chatapp/conversation/_turn.html", context)


def words(markup: str) -> str:
    """What is read, without templates, on one line."""
    text = re.sub(r"<template.*?</template>|<[^>]+>", " ", markup, flags=re.DOTALL)
    return " ".join(text.replace("\xa0", " ").split())


def actions_in(markup: str) -> set[str]:
    return set(re.findall(r'data-action="([^"]+)"', markup))


# how an answer ended


OPEN = Recover("interrupted", AT, ("add_note",), ("add_note",), 2, has_text=True)
BROKEN = Recover("failed", AT, (), (), 0, has_text=True)
ERROR = {"type": "ProviderError", "message": "Slow down", "status": 429, "request_id": "req_1"}
TEXT = TextPart(1, "Six")


@pytest.mark.parametrize(
    ("parts", "fields", "said"),
    [
        ([], {"state": "running"}, "Thinking"),
        ([], {"state": "running", "retry": Retry(2, 4)}, "The model broke off. Trying again (2 of 4)."),
        ([], {"state": "running", "resuming": True}, "Resuming. Finished steps are not run again."),
        ([ReasoningPart(1, "Hm", open=True)], {"state": "running"}, "Thinking"),
        ([PreparingPart("add_note", 0)], {"state": "running"}, "add_note Preparing"),
        ([ReasoningPart(1, "Hm", 4.2)], {}, "Thought for 4 s"),
        ([TEXT], {"state": "stopped"}, "Stopped by you. The text up to here is saved"),
        ([], {"state": "stopped"}, "Stopped before the answer began."),
        ([TEXT], {"state": "interrupted"}, "Interrupted at May 4, 14:46. What was there is kept."),
        (
            [TEXT],
            {"state": "failed", "error": ERROR},
            "The answer broke off. The model’s server takes no more",
        ),
        ([TEXT], {"finish_reason": "length"}, "had reached its greatest length"),
        ([TEXT], {"state": "failed", "error": {"type": "StorageError"}}, "could not save the answer."),
        ([TEXT], {"state": "failed", "error": {"type": "TurnLimitExceeded"}}, "as many steps as it may."),
        ([], {}, "The answer is empty."),
        ([HandoverPart("h1", "Purchasing")], {}, "Handed over to Purchasing"),
        ([UnreadablePart(4182)], {}, "One record here cannot be read (no. 4182). The rest is shown."),
        ([TEXT], {"state": "interrupted_open", "recover": OPEN}, "while add_note was running."),
        ([TEXT], {"state": "interrupted_open", "recover": OPEN}, "the text and 2 finished steps are saved."),
        ([TEXT], {"state": "interrupted_open", "recover": OPEN}, "Nobody knows whether add_note took effect"),
        ([TEXT], {"state": "failed_open", "recover": BROKEN, "error": ERROR}, "Status 429"),
        ([TEXT], {"state": "failed_open", "recover": BROKEN, "error": ERROR}, "Request req_1"),
        ([TEXT], {"state": "failed_open", "recover": BROKEN, "error": ERROR}, "Reason Slow down"),
    ],
)
def test_each_state_is_told_in_words(parts, fields, said):
    fields.setdefault("finished_at", AT.replace(year=timezone.now().year))
    assert said in words(html(*parts, **fields))


@pytest.mark.parametrize(
    ("fields", "offered"),
    [
        ({}, {"copy", "edit", "regenerate"}),
        ({"last": False}, {"copy", "edit"}),
        ({"state": "running"}, {"copy", "edit"}),
        (
            {"state": "interrupted_open", "recover": OPEN},
            {"copy", "edit", "resume", "keep", "discard", "cancel-discard"},
        ),
        (
            {"state": "failed_open", "recover": BROKEN, "error": ERROR},
            {"copy", "edit", "retry", "keep", "discard", "cancel-discard"},
        ),
    ],
)
def test_what_is_offered_fits_the_state(fields, offered):
    assert actions_in(html(TEXT, **fields)) == offered


@pytest.mark.parametrize("fields", [{}, {"state": "interrupted_open", "recover": OPEN}])
def test_a_record_offers_nothing_and_has_no_form_in_it(fields):
    shown = html(step(), TEXT, record=True, **fields)
    assert (actions_in(shown), "<form" in shown) == (set(), False)


def test_a_piece_that_does_not_end_has_no_end():
    assert 'class="actions"' in html(TEXT)
    assert 'class="actions"' not in html(TEXT, ends=False)


def test_two_calls_whose_outcome_is_unknown_are_both_named():
    open_end = Recover("interrupted", AT, ("add_note", "pay"), ("add_note", "pay"), 0, has_text=False)
    assert "while add_note and pay was running" in words(html(state="interrupted_open", recover=open_end))


def test_a_live_turn_is_busy_and_says_so():
    shown = html(TextPart(1, "First.\n\nSecond is wri", open=True), state="running")
    assert 'aria-busy="true"' in shown
    assert "Helper, writing" in shown
    assert "Thinking" not in shown


def test_an_open_text_goes_on_where_its_closed_blocks_end():
    shown = html(TextPart(1, "First.\n\n```py\nx = 1", open=True), state="running")
    assert 'data-block="1"' in shown
    assert '<div class="block" data-n="0"><p dir="auto">First.</p>' in shown
    assert '<div class="open" data-kind="pre" data-lang="Python" dir="auto">x = 1</div>' in shown


def test_text_that_a_retry_makes_void_is_not_live():
    shown = html(TextPart(1, "Broke off he", open=True), state="running", retry=Retry(2, 4))
    assert shown.count('data-state="live"') == 1  # the row that says what is waited for


# messages and texts


def test_nothing_that_was_written_becomes_markup():
    evil = "<script>alert(1)</script>"
    parts = (TextPart(1, evil), ReasoningPart(2, evil), step(name=evil, arguments=evil, output=evil))
    assert "<script>alert" not in html(
        *parts, state="failed", error={"type": "ProviderError", "message": evil}
    )


def test_a_message_is_copied_as_it_was_written():
    text = "\n  two\n\n<b>lines</b> "
    markup = render_to_string(
        "chatapp/conversation/_message.html", {"message": Message("r:0", text), "is_record": True}
    )
    assert ">\n  two\n\n&lt;b&gt;lines&lt;/b&gt; </div>" in markup


def test_the_answer_is_copied_as_the_model_wrote_it():
    assert "<template data-source>**Six** &amp; more</template>" in html(TextPart(1, "**Six** & more"))


@pytest.mark.parametrize(
    ("text", "folded"), [("\n".join("x" * 12), False), ("\n".join("x" * 84), True), ("long " * 300, True)]
)
def test_a_long_message_is_folded(text, folded):
    markup = render_to_string("chatapp/conversation/_message.html", {"message": Message("r:0", text)})
    assert ("data-folded" in markup) is folded
    assert ("Show all (84 lines)" in markup) is (text.count("\n") == 83)


# steps


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("running", "lookup Running"),
        ("queued", "Waiting its turn"),
        ("done", '"x" → Result: 42 0.5 s'),
        ("error", '"x" → Error: 42 0.5 s'),
        ("open", "no result"),
        ("not_run", "Not run"),
        ("may_have_run", "Stopped while it ran. It may have taken effect."),
    ],
)
def test_each_state_of_a_step_is_told_in_words(state, said):
    assert said in words(render_step(step(state)).replace("&quot;", '"'))


def test_progress_is_told():
    shown = render_step(step("running", progress=Progress(3, 5, "Dorn & Söhne")))
    assert 'value="3" max="5"' in shown
    assert "3 of 5 · Dorn &amp; Söhne" in shown


def test_three_tools_in_a_row_are_one_line_that_tells_of_errors():
    shown = words(html(step(), step("error"), step(), TEXT))
    assert "Used 3 tools 1 with an error 1.5 s" in shown


def test_of_a_large_result_only_the_beginning_is_on_the_page():
    shown = html(step(output="x" * 50_000))
    assert len(shown) < 30_000
    assert f'href="/threads/{THREAD.id}/steps/r1/?call=1&amp;of=result"' in shown


# what the log adds to its frames


FRAME = {"index": 3, "call_id": "c1", "name": "lookup", "arguments": '{"word": "x"}'}


def test_the_frame_of_a_call_carries_its_row():
    row = decorate_frame(FRAME | {"type": "tool_call"})["html"]
    assert row.startswith('<details class="part step" id="step-c1"')
    assert 'data-state="running"' in row
    assert re.search(r'data-since="20\d\d-', row)


def test_a_call_that_has_to_wait_does_not_say_that_it_runs():
    row = decorate_frame(FRAME | {"type": "tool_call", "started": False})["html"]
    assert 'data-state="queued"' in row


@pytest.mark.parametrize(("is_error", "state"), [(False, "done"), (True, "error")])
def test_the_frame_of_a_result_carries_its_row(is_error, state):
    row = decorate_frame(
        FRAME | {"type": "tool_result", "output": "42", "is_error": is_error, "seconds": 12.0}
    )["html"]
    assert f'data-state="{state}"' in row
    assert "12 s" in words(row)


def test_a_row_is_the_same_live_and_after_a_reload():
    frame = FRAME | {"type": "tool_result", "index": 2, "output": "42", "is_error": False, "seconds": 0.5}
    stored = re.search(r"<details.*</details>", html(step(), TEXT), re.DOTALL)
    assert stored
    assert words(decorate_frame(frame)["html"]) == words(stored.group())


def test_the_log_uses_them():
    assert executor.get().decorate is decorate_frame


def test_arguments_are_shown_on_one_line_if_they_fit():
    wide = json.dumps({f"key{n}": "value" for n in range(9)})
    assert "{&quot;word&quot;: &quot;x&quot;}" in render_step(step())
    assert "\n  &quot;key8&quot;" in render_step(step(arguments=wide))
