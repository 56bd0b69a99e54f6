"""A long transcript is made into a request off the event loop, a short one at once."""

import asyncio
import sys
import threading
from typing import Any

import pytest

from agents import Agent, Runner
from agents.aside import MANY_CHARACTERS, MANY_ENTRIES, aside, is_long
from agents.providers.openai import OpenAIProvider, ServerConfig
from agents.runtime import turns
from agents.transcript import AssistantTextEntry, Entry, InputEntry, ToolCallEntry, ToolResultEntry
from tests.fakes import steps
from tests.fakes.model_server import ModelServer

SHORT: list[Entry] = [InputEntry("user", "Hello")]
LONG: list[Entry] = [InputEntry("user", f"Message {n}") for n in range(MANY_ENTRIES)]
BIG = "x" * MANY_CHARACTERS


@pytest.mark.parametrize(
    "entry",
    [
        InputEntry("user", BIG),
        InputEntry("user", [{"type": "text", "text": BIG}]),
        AssistantTextEntry(BIG),
        ToolCallEntry("c", "look", BIG),
        ToolResultEntry("c", BIG),
    ],
)
def test_one_large_entry_is_long(entry: Entry) -> None:
    assert is_long([entry])
    assert not is_long(SHORT)


@pytest.mark.parametrize(("entries", "is_here"), [(SHORT, True), (LONG, False)])
async def test_where_it_is_done(entries: list[Entry], is_here: bool) -> None:
    assert (await aside(entries, threading.current_thread) is threading.current_thread()) is is_here


async def test_a_cancel_waits_for_nothing() -> None:
    goes_on, ends = threading.Event(), threading.Event()

    def hold() -> None:
        assert goes_on.wait(5)
        ends.set()

    task = asyncio.create_task(aside(LONG, hold))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not ends.is_set()
    goes_on.set()
    assert ends.wait(5)


async def test_a_long_run_is_seen_and_encoded_elsewhere(
    model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    places: list[tuple[str, bool]] = []

    def watched(module: Any, name: str) -> None:
        real = getattr(module, name)

        def note(*args: Any, **kwargs: Any) -> Any:
            places.append((name, threading.current_thread() is threading.main_thread()))
            return real(*args, **kwargs)

        monkeypatch.setattr(module, name, note)

    watched(turns, "view_for")
    watched(sys.modules[OpenAIProvider.__module__], "encode_request")
    model_server.script([[steps.text("Fine.")], [steps.text("Fine.")]])
    model = OpenAIProvider(ServerConfig(model_server.url))
    for given in (SHORT, LONG):
        assert (await Runner.run(Agent(name="helper", model=model), given)).output == "Fine."
    await model.close()
    assert places == [
        ("view_for", True),
        ("encode_request", True),
        ("view_for", False),
        ("encode_request", False),
    ]
