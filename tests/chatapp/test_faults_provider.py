"""A provider that hangs, cuts, refuses, talks nonsense: the text stays, the reason is told, Retry helps."""

import json
from typing import Any

import pytest

from agents.runtime.retry import RetryPolicy
from chatapp.eventlog import read_after
from tests.chatapp.conftest import DATA, ended, flight_of, seen, segments, send, shown
from tests.chatapp.watching import in_thread, watching
from tests.fakes.model_server import ModelServer
from tests.fakes.steps import cut, drop, error, fail, hang, raw, say, text, words

KEY = "sk-proj-5ecre7-4nd-n0b0dys-bu51ne55-0123456789"
PARTIAL = words(5)

# What is said, if anything, before each fault.
FAULTS: dict[str, list[Any]] = {
    "hang before the first byte": [hang()],
    "hang in the middle": [say(5), hang()],
    "cut before the first byte": [cut()],
    "cut in the middle": [say(5), cut()],
    "connection reset": [say(5), drop()],
    "401": [error(401, f"Incorrect API key provided: {KEY}", code="invalid_api_key")],
    "401 in the stream": [say(5), fail(f"Incorrect API key provided: {KEY}", code="invalid_api_key")],
    "429": [error(429, "slow down", retry_after=0)],
    "429 for an hour": [error(429, "slow down", retry_after=3600)],
    "500": [error(500, "Traceback (most recent call last):\n  File x")],
    "error in the stream": [say(5), fail("overloaded")],
    "no JSON": [say(5), raw("data: {broken\n\n")],
    "no object": [say(5), raw('data: ["a"]\n\n')],
    "not even text": [say(5), raw(b"data: \xff\xfe\x00{\n\n\n")],
    "numbers without end": [say(5), raw('data: {"usage": {"prompt_tokens": 1e999}}\n\n'), cut()],
}
LASTING = {"401", "401 in the stream", "429 for an hour"}


@pytest.fixture
def served(served: ModelServer, monkeypatch) -> ModelServer:
    """With a key; given little time, and asked again at once."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_IDLE_TIMEOUT", "0.2")
    wait = RetryPolicy.wait
    at_once = lambda *args: None if wait(*args) is None else 0  # noqa: E731
    monkeypatch.setattr(RetryPolicy, "wait", at_once)
    return served


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_that_stays_is_told_keeps_the_text_and_retry_makes_one_answer(
    client, served, thread, fault
):
    served.script([[text("Here it is.")]])
    served.script([FAULTS[fault]] * (1 if fault in LASTING else 4))
    await in_thread(send, client, thread, "Go")
    await in_thread(ended, thread)
    await has_failed(client, thread, kept=PARTIAL if say(5) in FAULTS[fault] else "")
    retried = await in_thread(client.post, f"/threads/{thread.id}/recover/", {"action": "resume"}, **DATA)
    assert retried.status_code == 200
    await in_thread(ended, thread)
    (segment,) = await in_thread(segments, thread)
    assert [entry.content for entry in segment.entries] == ["Go", "Here it is."]
    assert await in_thread(seen, thread, segment.run_id) == "Here it is."


async def has_failed(client, thread, *, kept: str) -> None:
    """On the socket, on the page after a reload and in the export; with a reason for people."""
    page = (await in_thread(client.get, f"/threads/{thread.id}/")).content.decode()
    flight = (await in_thread(client.get, f"/threads/{thread.id}/export.json")).json()["in_flight"]
    async with watching(client, thread.id) as watcher:
        snapshot = await watcher.frame()
    frames = await in_thread(read_after, thread.id, snapshot["run_id"], 0)
    assert (flight["status"], flight["partial_text"]) == ("failed", kept)
    assert (snapshot["status"], snapshot["text"]) == ("failed", kept)
    assert await in_thread(seen, thread, snapshot["run_id"]) == kept
    assert (frames[-1]["type"], frames[-1]["status"]) == ("run_finished", "failed")
    assert frames[-1]["error"] == snapshot["error"] == flight["error"]
    assert 'data-state="failed_open"' in page
    assert 'data-action="retry"' in page
    for told in (page, json.dumps(snapshot), json.dumps(frames)):
        assert not [word for word in (KEY, "Errno", "Traceback") if word in told]


@pytest.mark.parametrize("fault", ["hang in the middle", "connection reset", "500", "no JSON"])
def test_a_fault_that_passes_is_asked_again_and_nothing_is_doubled(client, served, thread, fault):
    served.script([[text("Here it is.")]])
    served.script([FAULTS[fault]] * 2)
    run_id = send(client, thread, "Go").json()["run_id"]
    ended(thread)
    (segment,) = segments(thread)
    assert [entry.content for entry in segment.entries] == ["Go", "Here it is."]
    assert seen(thread, run_id) == "Here it is."
    retries = [frame["attempt"] for frame in read_after(thread.id, run_id, 0) if frame["type"] == "retry"]
    assert retries == [2, 3]


def test_a_new_message_after_a_fault_keeps_the_turn_that_failed(client, served, thread):
    served.script([[text("Better now.")]])
    served.script([[say(5), fail("invalid", code="invalid_request")]])
    send(client, thread, "Go")
    ended(thread)
    assert shown(thread) == PARTIAL
    send(client, thread, "And now?")
    ended(thread)
    first, second = segments(thread)
    assert (first.meta["status"], first.entries[-1].content) == ("failed", PARTIAL)
    assert second.entries[-1].content == "Better now."
    page = client.get(f"/threads/{thread.id}/").content.decode()
    assert 'data-state="failed"' in page


def test_what_a_fault_has_said_stays_until_the_new_answer_begins(client, served, thread):
    served.script([[hang(0.5), text("Here it is.")]])
    served.script([[say(5), fail("invalid", code="invalid_request")]])
    send(client, thread, "Go")
    ended(thread)
    client.post(f"/threads/{thread.id}/recover/", {"action": "resume"}, **DATA)
    assert flight_of(thread).live
    assert shown(thread) == PARTIAL
