"""A real server under 1 and 50 runs at once: how late a token is, how much CPU it costs."""

import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from benchmarks.model import ClockModel
from benchmarks.table import Row
from benchmarks.timing import percentile

TOKENS = 200
NUMBER = re.compile(r"\d+")
PASSWORD = "correct-horse-7"


def streaming() -> Iterator[Row]:
    for runs in (1, 50):
        yield asyncio.run(stream_runs(runs))


async def stream_runs(runs: int) -> Row:
    async with ClockModel(tokens=TOKENS) as model, serving(model.url) as server:
        await warm_up(model, server)
        people = [Person(server.url, f"{runs}-{number}") for number in range(runs)]
        for person in people:
            await person.sign_up()
        before = server.cpu_seconds()
        await asyncio.gather(*(person.chat(after=place / runs) for place, person in enumerate(people)))
        cpu = server.cpu_seconds() - before
        for person in people:
            await person.leave()
    return Row("streaming", f"{runs} at once", figures(people, cpu))


async def warm_up(model: ClockModel, server: "Server") -> None:
    """The very first answer of a process pays for imports and connections."""
    person = Person(server.url, f"first-{time.monotonic_ns()}")
    await person.sign_up()
    model.tokens = 5
    await person.chat(after=0)
    model.tokens = TOKENS
    await person.leave()


def figures(people: "list[Person]", cpu: float) -> dict[str, float]:
    delays = [delay for person in people for delay in person.delays]
    assert len(delays) == TOKENS * len(people), f"{len(delays)} tokens arrived"
    return {
        "token p50 ms": statistics.median(delays),
        "token p95 ms": percentile(delays, 95),
        "first token p50 ms": statistics.median(person.first_token for person in people),
        "CPU ms per token": cpu * 1000 / len(delays),
    }


@dataclass(slots=True)
class Person:
    """Signs up, opens a socket, sends, and notes when each token arrives."""

    url: str
    name: str
    delays: list[float] = field(default_factory=list)
    first_token: float = 0.0
    _session: aiohttp.ClientSession = field(init=False)

    async def sign_up(self) -> None:
        self._session = aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True))
        await self._get("/accounts/signup/")
        form = {"username": self.name, "password1": PASSWORD, "password2": PASSWORD}
        await self._post("/accounts/signup/", form)

    async def chat(self, *, after: float) -> None:
        await asyncio.sleep(after)
        started = time.monotonic_ns()
        answer = await self._post("/threads/", {"text": "Count."})
        async with self._session.ws_connect(f"{self.url}/ws/threads/{answer['thread']}/") as socket:
            async for message in socket:
                if self._note(json.loads(message.data), started):
                    return

    def _note(self, frame: dict[str, Any], started: int) -> bool:
        """Whether this was the last frame of the answer."""
        if frame["type"] in ("snapshot", "text_delta"):
            now = time.monotonic_ns()
            times = [int(number) for number in NUMBER.findall(frame.get("text", ""))]
            if times and not self.delays:
                self.first_token = (now - started) / 1e6
            self.delays += [(now - sent) / 1e6 for sent in times]
        return bool(frame["type"] == "run_finished")

    async def leave(self) -> None:
        await self._session.close()

    async def _get(self, path: str) -> None:
        async with self._session.get(self.url + path) as response:
            assert response.status == 200, await response.text()

    async def _post(self, path: str, form: dict[str, str]) -> Any:
        token = next(cookie.value for cookie in self._session.cookie_jar if cookie.key == "csrftoken")
        headers = {"X-CSRFToken": token, "X-Requested-With": "fetch", "Accept": "application/json"}
        async with self._session.post(self.url + path, data=form, headers=headers) as response:
            assert response.status < 300, await response.text()
            return await response.json()


@dataclass(frozen=True, slots=True)
class Server:
    url: str
    pid: int

    def cpu_seconds(self) -> float:
        """User and system time of the process (Linux)."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@asynccontextmanager
async def serving(model_url: str) -> AsyncIterator[Server]:
    """`manage.py serve` with this model, on a database of its own below VAR_DIR."""
    port = 8700 + os.getpid() % 1000
    env = {
        **os.environ,
        "PORT": str(port),
        "SIGNUP": "open",
        "RATE_LIMITS": "0",
        "CHAT_MODEL": "openai:clock",
        "OPENAI_BASE_URL": model_url,
        "OPENAI_API_KEY": "none",
    }
    process = subprocess.Popen([sys.executable, "manage.py", "serve"], env=env, stdout=subprocess.DEVNULL)  # noqa: ASYNC220
    url = f"http://127.0.0.1:{port}"
    try:
        await until_alive(url)
        yield Server(url, process.pid)
    finally:
        process.terminate()
        await asyncio.to_thread(process.wait)


async def until_alive(url: str) -> None:
    async with aiohttp.ClientSession() as session:
        for _ in range(300):
            try:
                async with session.get(f"{url}/livez"):
                    return
            except aiohttp.ClientConnectionError:
                await asyncio.sleep(0.1)
    raise TimeoutError("the server did not start")
