"""A person with an open thread: sends, watches the answer come, and checks it afterwards."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
import uuid
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from benchmarks.connection import Address, Http, Socket
from benchmarks.model import wish

CSRF = "benchmarkbenchmarkbenchmarkbench"
FIRST = b'"snapshot"'
LAST = b'"run_finished"'
LONGEST = 60.0
numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class Answer:
    """`delays`: of each token, from the model to here, in ms. `trouble`: what went wrong, if anything did."""

    key: str
    text: str
    first: float
    delays: list[float]
    trouble: str = ""


@dataclass(slots=True)
class Person:
    """`cookie`: that of a session. One socket, one connection for commands."""

    address: Address
    cookie: str
    thread: str
    key: str = ""
    _http: Http = field(init=False)
    _socket: Socket = field(init=False)
    _ended: asyncio.Event = field(init=False)
    _is_seated: asyncio.Event = field(init=False)
    began: int = 0
    status: int = 0

    def __post_init__(self) -> None:
        self.cookie = f"{self.cookie}; csrftoken={CSRF}"
        self._http = Http(self.address, self.cookie)

    async def sit_down(self) -> None:
        """Until the screen shows what there is: an answer that begins before would be a part of that."""
        self._ended, self._is_seated = asyncio.Event(), asyncio.Event()
        self._socket = await Socket.open(
            self.address, f"/ws/threads/{self.thread}/", self.cookie, self._on_frame
        )
        await asyncio.wait_for(self._is_seated.wait(), LONGEST)

    def _on_frame(self, content: bytes) -> None:
        if LAST in content:
            self._ended.set()
        elif FIRST in content:
            self._is_seated.set()

    async def send(self, *, tokens: int, rate: int = 0, tool: bool = False) -> None:
        """Returns when the command is answered."""
        self.key = f"k{next(numbers)}"
        self._ended.clear()
        self._socket.frames.clear()
        form = {
            "text": wish(self.key, tokens=tokens, rate=rate, tool=tool),
            "client_id": str(uuid.uuid4()),
        }
        self.began = time.monotonic_ns()
        self.status = (await self.command("messages", form)).status

    async def command(self, name: str, form: dict[str, str]) -> Any:
        return await self._http.post(
            f"/threads/{self.thread}/{name}/",
            urlencode(form).encode(),
            Accept="application/json",
            X_CSRFToken=CSRF,
            X_Requested_With="fetch",
        )

    async def end(self) -> None:
        """Until the answer has ended, or has had more than enough time."""
        if self.status == 200:
            await asyncio.wait_for(self._ended.wait(), LONGEST)

    async def ask(self, *, after: float = 0, tokens: int, rate: int = 0, tool: bool = False) -> Answer:
        """Sends, and waits for the whole answer. It never raises for what the server did."""
        await asyncio.sleep(after)
        try:
            await self.send(tokens=tokens, rate=rate, tool=tool)
            await self.end()
        except (TimeoutError, ConnectionError, asyncio.IncompleteReadError) as error:
            return Answer(self.key, "", 0, [], trouble=f"failed: {error!r}")
        return self.answer()

    def answer(self) -> Answer:
        """Of what has come since the last send."""
        if self.status != 200:
            return Answer(self.key, "", 0, [], trouble=f"refused: {self.status}")
        frames = [(at, json.loads(content)) for at, content in self._socket.frames]
        return read(self.key, frames, self.began)

    def leave(self) -> None:
        self._socket.close()
        self._http.close()


def read(key: str, frames: list[tuple[int, dict[str, Any]]], began: int) -> Answer:
    of_run = [(at, frame) for at, frame in frames if frame.get("seq") and frame["type"] != "snapshot"]
    deltas = [(at, frame["text"]) for at, frame in of_run if frame["type"] == "text_delta" and frame["text"]]
    said = [(at, token) for at, text in deltas for token in text.split()]
    return Answer(
        key,
        "".join(text for _, text in deltas),
        first=(deltas[0][0] - began) / 1e6 if deltas else 0,
        delays=delays_of(said),
        trouble=trouble_in([frame for _, frame in of_run]),
    )


def delays_of(tokens: list[tuple[int, str]]) -> list[float]:
    """A token that was cut in two by a frame's end would count as two: the model writes whole ones."""
    return [at / 1e6 - int(token, 36) / 1e3 for at, token in tokens]


def trouble_in(frames: list[dict[str, Any]]) -> str:
    """Of one run, which is to be there from its first to its last frame."""
    seqs = [frame["seq"] for frame in frames]
    if seqs != list(range(1, len(seqs) + 1)):
        return f"failed: frames {seqs[:3]}…{seqs[-3:]} of {len(seqs)}"
    status = frames[-1].get("status") if frames else None
    return "" if status == "completed" else f"failed: ended as {status}"
