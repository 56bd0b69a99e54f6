"""A person's browser: cookies, forms and pages over HTTP. What it receives is looked through for what is
somebody else's."""

from __future__ import annotations

import json
import random
import time
from dataclasses import dataclass
from typing import Any

import aiohttp

from benchmarks.chaos.ledger import Ledger
from benchmarks.chaos.messages import tokens_in
from benchmarks.chaos.process import Process
from benchmarks.chaos.weather import Weather

PASSWORD = "correct-horse-battery-7"
PATIENCE = aiohttp.ClientTimeout(total=45, connect=5)


class Lost(Exception):
    """No answer: nobody can say whether the request was carried out."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: str
    location: str = ""

    @property
    def is_good(self) -> bool:
        return 200 <= self.status < 400

    @property
    def data(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found


class Browser:
    """`token` is its owner's; any other in what it receives is a violation."""

    def __init__(
        self,
        name: str,
        token: str,
        *,
        processes: list[Process],
        ledger: Ledger,
        weather: Weather,
        dice: random.Random,
    ) -> None:
        self.name = name
        self.token = token
        self._processes = [process for process in processes if process.serves]
        self._ledger = ledger
        self._weather = weather
        self._dice = dice
        self.session = aiohttp.ClientSession(
            cookie_jar=aiohttp.CookieJar(unsafe=True),
            connector=aiohttp.TCPConnector(limit=0),
            timeout=PATIENCE,
        )

    async def close(self) -> None:
        await self.session.close()

    def cookie(self, name: str) -> str:
        return next((morsel.value for morsel in self.session.cookie_jar if morsel.key == name), "")

    def some_server(self) -> Process:
        """One that is up, as a balancer chooses; any where none is."""
        up = [process for process in self._processes if process.up.is_set()]
        return self._dice.choice(up or self._processes)

    async def sign_up(self) -> None:
        await self.get("/accounts/signup/")
        fields = {"username": self.name, "password1": PASSWORD, "password2": PASSWORD}
        answer = await self._ask("POST", "/accounts/signup/", fields)
        if not self.cookie("sessionid"):
            raise RuntimeError(f"{self.name} could not sign up: {answer.status} {answer.body[:300]}")

    async def get(self, path: str) -> Answer:
        return await self._ask("GET", path, None)

    async def post(self, path: str, **fields: str) -> Answer:
        return await self._ask("POST", path, fields)

    async def _ask(self, method: str, path: str, fields: dict[str, str] | None) -> Answer:
        process, sent_at = self.some_server(), time.time()
        self._ledger.count("HTTP requests")
        try:
            answer = await self._send(process, method, path, fields)
        except Lost as loss:
            self._ledger.count("HTTP requests without an answer")
            if not self._is_excused(process, sent_at):
                self._ledger.accuse("answers", f"{process.command.name}: {loss}")
            raise
        self.look_through(answer.body, f"{method} {path}")
        if answer.status >= 500 and not self._is_excused(process, sent_at):
            self._ledger.accuse("no 5xx", f"{method} {path} → {answer.status}: {answer.body[:300]}")
        return answer

    async def _send(self, process: Process, method: str, path: str, fields: dict[str, str] | None) -> Answer:
        headers = {"Accept": "application/json", "X-Requested-With": "fetch"}
        data = None
        if fields is not None:
            headers["X-CSRFToken"] = self.cookie("csrftoken")
            data = aiohttp.FormData({**fields, "csrfmiddlewaretoken": self.cookie("csrftoken")})
        try:
            async with self.session.request(
                method, process.url + path, data=data, headers=headers, allow_redirects=False
            ) as response:
                body = await response.text()
                return Answer(response.status, body, response.headers.get("Location", ""))
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise Lost(f"{method} {path}: {error!r}") from error

    def _is_excused(self, process: Process, sent_at: float) -> bool:
        return process.was_disturbed_since(sent_at) or self._weather.was_bad(sent_at)

    def look_through(self, text: str, where: str) -> None:
        foreign = tokens_in(text) - {self.token}
        if foreign:
            self._ledger.accuse("privacy", f"{self.name} saw {sorted(foreign)[:3]} in {where}")
