"""Stop, seen from the provider and from the store."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import pytest

from tests.fakes.model_server import ModelServer
from tests.fakes.steps import call, say
from tests.process.person import Person, is_idle, seen_text, texts
from tests.process.server import Server


@pytest.fixture
def server(shared_server: Server, model_server: ModelServer) -> Server:
    for trace in ("effects", "release"):  # of an earlier test's tools
        (shared_server.folder / trace).unlink(missing_ok=True)
    return shared_server


async def test_stop_closes_the_connection_and_keeps_exactly_what_was_streamed(
    person: Person, model_server: ModelServer
) -> None:
    thread = person.new_thread("say 400 @100")

    async def stop_when_a_hundred_are_out() -> float:
        await model_server.until(lambda: model_server.requests and model_server.requests[-1].tokens >= 100)
        before = time.monotonic()
        await asyncio.to_thread(person.post, f"/threads/{thread}/stop/")
        return before

    watching = asyncio.create_task(
        person.watch(thread, lambda frames: frames and frames[-1]["type"] == "run_finished")
    )
    await stop_when_a_hundred_are_out()
    model_server.requests[-1].wait_ended(1)
    frames = await watching
    exported = person.wait(thread, is_idle)
    assert model_server.requests[-1].closed_by == "client"
    assert frames[-1]["status"] == "stopped"
    assert texts(exported) == [seen_text(frames)]
    assert exported["segments"][0]["entries"][-1]["partial"] is True


@pytest.mark.parametrize("moment", range(6))
def test_whenever_it_is_stopped_the_next_request_is_whole(
    person: Person, model_server: ModelServer, release: Callable[[], None], moment: int
) -> None:
    model_server.script(
        turns=[
            [say(8, rate=40), call("lookup", {"word": "ink"}, rate=40), call("pay", {"amount": 2}, rate=40)]
        ],
        match="look up",
    )
    thread = person.new_thread("look up and pay")
    time.sleep(0.12 * moment)
    assert person.post(f"/threads/{thread}/stop/")[0] < 300
    release()
    stopped = person.export(thread)
    assert stopped["in_flight"] is None
    person.send(thread, "say 2")
    exported = person.wait(thread, is_idle)
    assert texts(exported, "input") == ["look up and pay", "say 2"]
    assert texts(exported)[-1] == "w1 w2"
    assert model_server.refusals == []


def test_stop_in_a_tool_keeps_the_finished_result_and_names_the_running_call(
    person: Person, model_server: ModelServer, effects: Callable[[], list[str]]
) -> None:
    model_server.script(turns=[[call("lookup", {"word": "ink"}), call("pay", {"amount": 3})]])
    thread = person.new_thread("look up, and pay")
    model_server.wait(lambda: sorted(effects()) == ["lookup", "pay"], within=10)
    person.wait(thread, lambda now: any(e["type"] == "tool_result" for e in now["in_flight"]["entries"]))
    person.post(f"/threads/{thread}/stop/")
    segment = person.export(thread)["segments"][0]
    assert [entry["type"] for entry in segment["entries"]] == ["input", "tool_call", "tool_result"]
    assert segment["entries"][2]["output"] == "ink: found"
    assert [(call["name"], call["started"]) for call in segment["meta"]["dropped_calls"]] == [("pay", True)]


def test_stop_does_nothing_when_nothing_runs(person: Person, model_server: ModelServer) -> None:
    thread = person.new_thread("say 2")
    before = person.wait(thread, is_idle)
    assert person.post(f"/threads/{thread}/stop/")[0] < 300
    assert person.export(thread)["segments"] == before["segments"]


def test_a_run_goes_on_when_nobody_watches(person: Person, model_server: ModelServer) -> None:
    thread = person.new_thread("say 60 @60")
    exported = person.wait(thread, is_idle)
    assert texts(exported) == [" ".join(f"w{n}" for n in range(1, 61))]


async def test_two_readers_see_the_same_text(person: Person, model_server: ModelServer) -> None:
    thread = person.new_thread("say 80 @80")

    def at_the_end(frames: list) -> bool:
        return bool(frames) and (frames[-1]["type"] == "run_finished" or frames[-1].get("status") == "idle")

    first, second = await asyncio.gather(person.watch(thread, at_the_end), person.watch(thread, at_the_end))
    assert seen_text(first) == seen_text(second) == texts(person.wait(thread, is_idle))[0]
