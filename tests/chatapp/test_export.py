"""export.json and export.md."""

import json

import pytest

from agents.transcript import AssistantTextEntry, ReasoningEntry, ToolCallEntry, ToolResultEntry
from tests.chatapp.conftest import DATA, PAGE, ask

pytestmark = pytest.mark.django_db(transaction=True)

CALL = ToolCallEntry("c1", "lookup", '{"word": "x"}')
RESULT = ToolResultEntry("c1", "found")


def export(client, thread, kind="json"):
    answer = client.get(f"/threads/{thread.id}/export.{kind}")
    assert answer.status_code == 200
    return json.loads(answer.content) if kind == "json" else answer.content.decode()


def test_an_empty_thread(client, thread):
    found = export(client, thread)
    assert (found["thread"]["id"], found["thread"]["title"]) == (str(thread.id), "Tax")
    assert {key: found[key] for key in ("segments", "in_flight", "queue")} == {
        "segments": [],
        "in_flight": None,
        "queue": {"held": None, "messages": []},
    }


def test_segments_are_as_they_are_stored(client, thread, add_run):
    partial = AssistantTextEntry("So f", partial=True)
    run_id = add_run(ask("語 👍"), CALL, RESULT, partial, status="stopped", dropped_calls=[])
    (segment,) = export(client, thread)["segments"]
    assert (segment["run_id"], segment["meta"]["status"]) == (run_id, "stopped")
    assert [entry["type"] for entry in segment["entries"]] == [
        "input",
        "tool_call",
        "tool_result",
        "assistant_text",
    ]
    assert segment["entries"][0]["content"] == "語 👍"
    assert segment["entries"][3]["partial"] is True


def test_a_run_in_flight_is_told_with_its_partial_text(client, thread, add_flight):
    frames = [{"type": "text_delta", "index": 3, "text": words} for words in ("So ", "far")]
    run_id = add_flight(ask(), CALL, RESULT, frames=frames)
    found = export(client, thread)["in_flight"]
    assert {key: found[key] for key in ("run_id", "status", "partial_text", "requests", "error")} == {
        "run_id": run_id,
        "status": "interrupted",
        "partial_text": "So far",
        "requests": [],
        "error": None,
    }
    assert len(found["entries"]) == 3


def test_a_failed_run_has_its_error(client, thread, add_flight):
    error = {"type": "ProviderError", "message": "No quota.", "hint": ""}
    add_flight(ask(), error=error)
    found = export(client, thread)["in_flight"]
    assert (found["status"], found["error"]) == ("failed", error)


def test_markdown_reads_from_top_to_bottom(client, thread, add_run):
    add_run(ask("How?"), ReasoningEntry("Hm,\nso."), CALL, RESULT, AssistantTextEntry("**Like this.**"))
    dropped = [{"call_id": "d", "name": "pay", "arguments": "{}", "started": True}]
    add_run(ask("Go"), AssistantTextEntry("I wi", partial=True), status="stopped", dropped_calls=dropped)
    assert (
        export(client, thread, "md")
        == """# Tax

## You

How?

## helper

> Hm,
> so.

**lookup**

```json
{"word": "x"}
```

```
found
```

**Like this.**

## You

Go

## helper

I wi

**pay** (stopped while it ran; it may have taken effect)

```json
{}
```

*Stopped by you. The text up to here is saved.*
"""
    )


def test_a_fence_in_a_result_does_not_end_the_block(client, thread, add_run):
    add_run(ask(), CALL, ToolResultEntry("c1", "```py\n1\n```"))
    assert "````\n```py\n1\n```\n````" in export(client, thread, "md")


def test_markdown_of_an_open_end_says_so(client, thread, add_flight):
    frames = [{"type": "text_delta", "index": 1, "text": "Half"}]
    add_flight(ask("Go"), frames=frames, error={"type": "X", "message": "No quota."})
    assert export(client, thread, "md").endswith("Half\n\n*The answer broke off. No quota.*\n")


def test_the_file_is_named_after_the_thread(client, thread):
    thread.title = "Steuer: 報告/../x\n"
    thread.save()
    disposition = client.get(f"/threads/{thread.id}/export.md")["Content-Disposition"]
    assert disposition.startswith("attachment; filename")
    assert "/" not in disposition
    assert "\n" not in disposition


@pytest.mark.parametrize("kind", ["json", "md"])
def test_who_may(client, strangers, anonymous, thread, kind):
    url = f"/threads/{thread.id}/export.{kind}"
    assert strangers.get(url).status_code == 404
    assert anonymous.get(url, **DATA).status_code == 401
    assert anonymous.get(url, **PAGE).status_code == 302
    assert client.post(url).status_code == 405
