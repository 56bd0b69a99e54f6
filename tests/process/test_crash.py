"""kill -9 at the worst moments: nothing that was said, done or shown is lost or doubled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from tests.fakes.model_server import ModelServer
from tests.fakes.steps import call, hang, say
from tests.process.person import Person, is_idle, is_interrupted, seen_text, texts
from tests.process.server import Server

Effects = Callable[[], list[str]]


def test_killed_before_the_first_token_it_goes_on_by_itself(
    server: Server, person: Person, model_server: ModelServer
) -> None:
    model_server.script(turns=[[hang()], [say(5)]])
    thread = person.new_thread("hello")
    model_server.wait(lambda: model_server.requests)
    server.restart_after_kill()
    exported = person.wait(thread, is_idle)
    assert texts(exported, "input") == ["hello"]
    assert len(texts(exported)) == 1


async def test_killed_in_the_text_what_was_shown_is_there(
    server: Server, person: Person, model_server: ModelServer
) -> None:
    thread = person.new_thread("say 400 @100")
    shown = seen_text(await person.watch(thread, lambda frames: len(seen_text(frames)) > 300))
    server.restart_after_kill()
    exported = person.wait(thread, is_interrupted, within=15)
    assert exported["in_flight"]["partial_text"].startswith(shown)
    assert [entry["content"] for entry in exported["in_flight"]["entries"]] == ["say 400 @100"]


async def test_resumed_after_a_kill_in_the_text_there_is_one_answer(
    server: Server, person: Person, model_server: ModelServer
) -> None:
    model_server.script(turns=[[say(400, rate=100)], [say(10)]])
    thread = person.new_thread("tell me")
    await person.watch(thread, lambda frames: len(seen_text(frames)) > 300)
    server.restart_after_kill()
    person.wait(thread, is_interrupted)
    assert person.post(f"/threads/{thread}/recover/", action="resume")[0] == 200
    exported = person.wait(thread, is_idle)
    assert [segment["meta"]["status"] for segment in exported["segments"]] == ["completed"]
    assert len(texts(exported)) == 1


async def test_a_new_message_keeps_the_interrupted_turn(
    server: Server, person: Person, model_server: ModelServer
) -> None:
    thread = person.new_thread("say 400 @100")
    shown = seen_text(await person.watch(thread, lambda frames: len(seen_text(frames)) > 300))
    server.restart_after_kill()
    person.wait(thread, is_interrupted)
    person.send(thread, "say 3")
    exported = person.wait(thread, is_idle)
    assert texts(exported, "input") == ["say 400 @100", "say 3"]
    assert texts(exported)[0].startswith(shown)
    assert [segment["meta"]["status"] for segment in exported["segments"]] == ["interrupted", "completed"]
    assert shown in model_server.requests[-1].text or shown in str(model_server.requests[-1].messages)


def test_killed_in_a_tool_that_may_not_be_repeated_it_waits_for_a_click(
    server: Server, person: Person, model_server: ModelServer, effects: Effects, release: Callable[[], None]
) -> None:
    model_server.script(turns=[[call("pay", {"amount": 3})], [say(5)]])
    thread = person.new_thread("pay three")
    model_server.wait(lambda: effects() == ["pay"], within=10)
    server.restart_after_kill()
    person.wait(thread, is_interrupted, within=15)
    assert effects() == ["pay"]
    release()
    assert person.post(f"/threads/{thread}/recover/", action="resume")[0] == 200
    exported = person.wait(thread, is_idle)
    assert effects() == ["pay", "pay"]
    assert [entry["type"] for entry in exported["segments"][0]["entries"]] == [
        "input",
        "tool_call",
        "tool_result",
        "assistant_text",
    ]


def test_killed_between_two_tools_the_finished_one_does_not_run_again(
    server: Server, person: Person, model_server: ModelServer, effects: Effects, release: Callable[[], None]
) -> None:
    model_server.script(turns=[[call("lookup", {"word": "ink"}), call("pay", {"amount": 3})], [say(5)]])
    thread = person.new_thread("look up, and pay")
    person.wait(thread, lambda exported: "tool_result" in types(exported))
    server.restart_after_kill()
    person.wait(thread, is_interrupted)
    release()
    person.post(f"/threads/{thread}/recover/", action="resume")
    person.wait(thread, is_idle)
    assert sorted(effects()) == ["lookup", "pay", "pay"]


def test_a_repeatable_tool_runs_again_by_itself(
    server: Server, person: Person, model_server: ModelServer, effects: Effects, release: Callable[[], None]
) -> None:
    model_server.script(turns=[[call("wait", {})], [say(5)]])
    thread = person.new_thread("wait")
    model_server.wait(lambda: effects() == ["wait"], within=10)
    server.kill()
    release()
    server.start()
    person.wait(thread, is_idle)
    assert effects() == ["wait", "wait"]


def test_a_dropped_call_that_had_started_is_told_to_the_model(
    server: Server, person: Person, model_server: ModelServer, effects: Effects
) -> None:
    model_server.script(turns=[[call("pay", {"amount": 3})], [say(5)]])
    thread = person.new_thread("pay three")
    model_server.wait(lambda: effects() == ["pay"], within=10)
    server.restart_after_kill()
    person.wait(thread, is_interrupted)
    person.send(thread, "did you pay?")
    exported = person.wait(thread, is_idle)
    assert exported["segments"][0]["meta"]["dropped_calls"][0]["started"] is True
    assert "may have taken effect" in str(model_server.requests[-1].messages)


async def test_told_to_stop_by_the_system_it_goes_on_after_the_restart(
    server: Server, person: Person, model_server: ModelServer
) -> None:
    model_server.script(turns=[[say(3000, rate=50)], [say(10)]])
    thread = person.new_thread("tell me")
    await person.watch(thread, lambda frames: len(seen_text(frames)) > 50)
    await asyncio.to_thread(server.terminate)
    server.start()
    exported = person.wait(thread, is_idle)
    assert [segment["meta"]["status"] for segment in exported["segments"]] == ["completed"]
    assert len(texts(exported)) == 1


@pytest.mark.only("inprocess")  # else the sockets may end before the run does
async def test_who_watches_is_told_that_it_is_handed_over(
    server: Server, person: Person, model_server: ModelServer
) -> None:
    model_server.script(turns=[[say(3000, rate=50)]])
    thread = person.new_thread("tell me")
    await person.watch(thread, lambda frames: len(seen_text(frames)) > 50)
    is_read = asyncio.Event()

    def has_ended(frames: list[dict]) -> bool:
        if frames:
            is_read.set()
        return bool(ends_of(frames))

    watching = asyncio.create_task(person.watch(thread, has_ended))
    await asyncio.wait_for(is_read.wait(), 20)
    await asyncio.to_thread(server.terminate)
    (end,) = ends_of(await watching)
    assert (end["status"], end["handed_over"]) == ("interrupted", True)


def ends_of(frames: list[dict]) -> list[dict]:
    return [frame for frame in frames if frame["type"] == "run_finished"]


def types(exported: dict) -> list[str]:
    return [entry["type"] for entry in (exported["in_flight"] or {"entries": []})["entries"]]
