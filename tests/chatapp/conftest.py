"""Threads, their histories and a scripted assistant, for the tests of the web app."""

import asyncio
import time
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from agents.checkpoint import RunHead
from agents.stores.orm import checkpoints, sessions
from agents.stores.orm.checkpoints import InFlight
from agents.testing import ScriptedProvider
from agents.transcript import Entry, InputEntry
from chatapp import executor
from chatapp.eventlog import read_after, record
from chatapp.export import thread_as_json
from chatapp.lifecycle import runs_wait_for_workers
from chatapp.models import Thread
from tests.chatapp.scripted import helper
from tests.fakes.model_server import ModelServer
from tests.workers import worker_here

# About the queue of the workers, which exists where runs wait for them.
collect_ignore = [] if runs_wait_for_workers() else ["test_workers.py"]

DATA: Any = {"headers": {"accept": "application/json"}}
PAGE: Any = {"headers": {"accept": "text/html"}}

Script = Callable[..., ScriptedProvider]
MakeThread = Callable[..., Thread]
AddRun = Callable[..., str]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What has an assistant answer is marked: it is what another executor may do otherwise."""
    for item in items:
        if "script" in getattr(item, "fixturenames", ()):
            item.add_marker("runs")


@pytest.fixture
def make_thread(user: User) -> MakeThread:
    """Makes threads without any history: `make_thread()`, `make_thread(title="Tax", owner=stranger)`."""

    def make(**fields: Any) -> Thread:
        return Thread.objects.create(**({"owner": user, "title": "Tax", "assistant": "helper"} | fields))

    return make


@pytest.fixture
def thread(make_thread: MakeThread) -> Thread:
    return make_thread()


@pytest.fixture
def strangers(client_for: Callable[[User], Client], stranger: User) -> Client:
    """The stranger's browser."""
    return client_for(stranger)


@pytest.fixture
def add_run(thread: Thread) -> AddRun:
    """Adds a finished run to the history of `thread`: `add_run(*entries, status="stopped")`. → run_id"""

    def add(*entries: Entry, to: Thread = thread, run_id: str = "", **meta: Any) -> str:
        meta = {"status": "completed", "assistant": "helper"} | meta
        return sessions.append_segment(to.session_id, list(entries), run_id=run_id or str(uuid4()), meta=meta)

    return add


@pytest.fixture
def add_flight(thread: Thread) -> AddRun:
    """Puts a run of another process in flight: `add_flight(*entries, frames=[…], live=True)`. → run_id"""

    def add(*entries: Entry, to: Thread = thread, frames: Any = (), live: bool = False, **head: Any) -> str:
        run_id = str(uuid4())
        given = RunHead(agent_name="helper", session_id=to.session_id)
        fence = checkpoints.start(run_id, to.session_id, list(entries), given, owner="elsewhere:1:x")
        started = {"type": "run_started", "input": {"ref": f"{run_id}:0"}, "resumed": False}
        record(to.id, run_id, [started, *frames], stored=len(entries))
        if not live:
            status = "failed" if "error" in head else "interrupted"
            ended = RunHead(agent_name="helper", session_id=to.session_id, **{"status": status} | head)
            checkpoints.release(run_id, fence, head=ended)
        return run_id

    return add


@pytest.fixture
def script(transactional_db: None, settings: Settings) -> Iterator[Script]:
    """Sets what the assistant says, turn by turn, and which tools it has. Its runs end with the test."""
    settings.ASSISTANTS = ["tests.chatapp.scripted:helper"]
    executor.get().is_stopping = False  # an earlier test may have ended a server in this process

    def set_script(*turns: Any, tools: Any = ()) -> ScriptedProvider:
        helper.model = provider = ScriptedProvider(turns)
        helper.tools = list(tools)
        return provider

    set_script()
    with worker_here():
        yield set_script
    end_all_runs()


@pytest.fixture
def served(script: Script, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> ModelServer:
    """The strict fake model server, which the assistant's model is."""
    monkeypatch.setenv("OPENAI_BASE_URL", model_server.url)
    helper.model = "openai:fake"
    return model_server


def seen(thread: Thread, run_id: str, kind: str = "text_delta") -> str:
    """The text of a run on a screen that has followed it from its first frame on."""
    text = ""
    for frame in read_after(thread.id, run_id, 0):
        if frame["type"] == "text_withdrawn":
            text = ""
        elif frame["type"] == kind:
            text += frame["text"]
    return text


def end_all_runs() -> None:
    """Nothing of the executor may outlive the test's database."""
    running = executor.get()
    loop = running._loop
    if loop is not None and loop.is_running():
        asyncio.run_coroutine_threadsafe(running.shutdown(grace=0), loop).result(20)
    running.is_stopping = False  # the process goes on


def until(condition: Callable[[], Any], within: float = 8.0) -> Any:
    """Waits for a condition and returns what it says. TimeoutError."""
    end = time.monotonic() + within
    while not (value := condition()):
        if time.monotonic() > end:
            raise TimeoutError(f"not within {within} s")
        time.sleep(0.01)
    return value


def ended(thread: Thread) -> None:
    """Waits until nothing is live in the thread."""

    def is_quiet() -> bool:
        run = checkpoints.in_flight(thread.session_id)
        return run is None or not run.live

    until(is_quiet)


def shown(thread: Thread) -> str:
    """The text of the run in flight that was shown and is not stored."""
    flight = thread_as_json(thread)["in_flight"]
    return flight["partial_text"] if flight else ""


def segments(thread: Thread) -> list[Any]:
    """The thread's finished runs."""
    return sessions.segments(thread.session_id)


def said(session_id: str) -> list[Any]:
    """The texts of a session, messages and answers alike."""
    return [getattr(entry, "content", None) for entry in sessions.load(session_id)]


def flight_of(thread: Thread) -> InFlight:
    run = checkpoints.in_flight(thread.session_id)
    assert run is not None
    return run


def send(client: Client, thread: Thread, text: str, **fields: str) -> Any:
    return client.post(f"/threads/{thread.id}/messages/", {"text": text} | fields, **DATA)


def ask(text: str = "How much is it?") -> InputEntry:
    return InputEntry("user", text)
