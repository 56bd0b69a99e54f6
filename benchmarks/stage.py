"""All that is needed to measure on one database: the model, the world, and servers."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.connection import Address, Http
from benchmarks.machine import Window
from benchmarks.person import Answer, Person
from benchmarks.places import Place
from benchmarks.processes import free_address, line_of, process, until_alive
from benchmarks.world import Seat, World

SERVE = ("manage.py", "serve")
WITH_INSTRUMENTS = ("-m", "benchmarks.instruments")
WORK = ("manage.py", "procrastinate", "worker")
WORKER_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Server:
    """`pids`: its own, and those of workers."""

    address: Address
    pid: int
    pids: tuple[int, ...]


@dataclass(slots=True)
class Stage:
    """`repeat`: how often a figure is measured. `rest`: for how many seconds idle sockets are watched, twice.
    `profile`: where the server's own time is to be told."""

    place: Place
    folder: Path
    model: Address
    model_pid: int
    world: World
    environment: dict[str, str]
    repeat: int = 1
    rest: float = 0.0
    profile: Path | None = None
    _server: Server | None = None
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def server(self) -> Server:
        """The one that most sections share, started when it is wanted first, and warm."""
        if self._server is None:
            extra = {"BENCH_PROFILE": str(self.profile)} if self.profile else {}
            arguments = WITH_INSTRUMENTS if self.profile else SERVE
            self._server = await self._stack.enter_async_context(self.serving(arguments, extra=extra))
        return self._server

    async def close(self) -> None:
        await self._stack.aclose()

    @asynccontextmanager
    async def serving(
        self,
        arguments: Iterable[str] = SERVE,
        *,
        is_warm: bool = True,
        extra: Mapping[str, str] | None = None,
    ) -> AsyncIterator[Server]:
        """A server of its own; one that is not warm has done nothing yet."""
        address = free_address()
        environment = {**self.environment, **(extra or {}), "PORT": str(address.port)}
        log = self.folder / "server.log"
        async with AsyncExitStack() as stack:
            child = await stack.enter_async_context(process([*arguments], environment, log))
            await until_alive(address)
            workers = [
                await stack.enter_async_context(process(WORK, environment, log))
                for _ in range(self.place.workers)
            ]
            await asyncio.sleep(WORKER_SECONDS if workers else 0)
            server = Server(address, child.pid, (child.pid, *(worker.pid for worker in workers)))
            if is_warm:
                await self.warm_up(server)
            yield server

    async def warm_up(self, server: Server) -> None:
        """The first answers of a process pay for imports, connections and threads."""
        async with self.people(server, 8) as people:
            for person in people:
                await person.ask(tokens=5)
                await person.ask(tokens=5, tool=True)

    @asynccontextmanager
    async def people(self, server: Server, count: int) -> AsyncIterator[list[Person]]:
        """With their threads open."""
        people = [person_at(seat, server) for seat in self.world.people[:count]]
        try:
            for person in people:
                await person.sit_down()
            yield people
        finally:
            for person in people:
                person.leave()

    @contextmanager
    def window(self, server: Server) -> Iterator[Window]:
        if self.profile and server == self._server:
            os.kill(server.pid, signal.SIGUSR2)
        window = Window(server=server.pids, model=self.model_pid, database=self.place.processes())
        yield window
        window.close()

    async def told(self, key: str) -> dict[str, Any]:
        """What the model knows of this question: text, asked, left."""
        http = Http(self.model)
        reply = await http.get(f"/told/{key}")
        http.close()
        data: dict[str, Any] = json.loads(reply.body) or {"text": None, "asked": 0, "left": 0}
        return data

    async def trouble_with(self, answers: Iterable[Answer]) -> list[str]:
        """What went wrong: refused, failed, or another text than the model has said."""
        found = []
        for answer in answers:
            if answer.trouble:
                found.append(answer.trouble)
            elif answer.text != (await self.told(answer.key))["text"]:
                found.append("lost: another text than the model's")
        return found


def person_at(seat: Seat, server: Server) -> Person:
    return Person(server.address, seat.cookie, seat.thread)


@asynccontextmanager
async def staged(
    place: Place, folder: Path, *, repeat: int, rest: float, profile: Path | None
) -> AsyncIterator[Stage]:
    log = folder / "bench.log"
    async with process(["-m", "benchmarks.model"], {}, log, is_heard=True) as model:
        address = Address("127.0.0.1", int(await line_of(model)))
        environment = {"RUN_EXECUTOR": "inprocess", **place.environment, **settings_for(folder, address)}
        async with process(["-m", "benchmarks.world"], environment, log, is_heard=True) as making:
            world = World.read(await line_of(making))
        stage = Stage(place, folder, address, model.pid, world, environment, repeat, rest, profile)
        try:
            yield stage
        finally:
            await stage.close()


def settings_for(folder: Path, model: Address) -> dict[str, str]:
    """Limits stay switched on, so that they cost what they cost, but are out of reach."""
    return {
        "VAR_DIR": str(folder),
        "SECRET_KEY": "only-for-benchmarks-" + "x" * 40,
        "ALLOWED_HOSTS": "localhost,127.0.0.1,testserver",
        "SEND_LIMIT": "100000000",
        "CHAT_MODEL": "openai:clock",
        "ASSISTANTS": "",
        "PUBLIC_URL": "",
        "OPENAI_BASE_URL": f"http://{model}/v1",
        "OPENAI_API_KEY": "none",
    }
