"""A person with a browser's session: forms, the export, and the socket."""

from __future__ import annotations

import http.cookiejar
import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from typing import Any

import aiohttp

from tests.process.server import Server

PASSWORD = "correct-horse-battery-7"


class StayHere(urllib.request.HTTPRedirectHandler):
    """Shows a redirect instead of following it."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


class Person:
    def __init__(self, server: Server, name: str) -> None:
        self.server = server
        self.name = name
        self.location = ""
        self.jar = http.cookiejar.CookieJar()
        self.use_jar()

    def use_jar(self) -> None:
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar), StayHere)

    def sign_up(self) -> Person:
        self.get("/accounts/signup/")
        fields = {"username": self.name, "password1": PASSWORD, "password2": PASSWORD}
        self._open("/accounts/signup/", fields, {})
        assert self.cookie("sessionid"), "sign-up did not log in"
        return self

    def sign_in(self) -> Person:
        self.get("/accounts/login/")
        self._open("/accounts/login/", {"login": self.name, "password": PASSWORD}, {})
        return self

    def cookie(self, name: str) -> str:
        return next((str(cookie.value) for cookie in self.jar if cookie.name == name), "")

    def get(self, path: str) -> tuple[int, str]:
        return self._open(path, None, {})

    def post(self, path: str, **fields: str) -> tuple[int, Any]:
        """→ status and JSON answer, as the page's own script asks for it."""
        status, body = self._open(
            path, fields, {"Accept": "application/json", "X-CSRFToken": self.cookie("csrftoken")}
        )
        return status, json.loads(body) if body else None

    def _open(self, path: str, fields: dict[str, str] | None, headers: dict[str, str]) -> tuple[int, str]:
        data = None
        if fields is not None:
            fields = {"csrfmiddlewaretoken": self.cookie("csrftoken"), **fields}
            data = urllib.parse.urlencode(fields).encode()
        request = urllib.request.Request(self.server.url + path, data=data, headers=headers)
        try:
            with self._opener.open(request, timeout=30) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as other:
            self.location = other.headers.get("Location", "")
            return other.code, other.read().decode()

    def new_thread(self, text: str) -> str:
        status, answer = self.post("/threads/", text=text)
        assert status == 303, (status, answer)
        return self.location.strip("/").split("/")[-1]

    def send(self, thread: str, text: str) -> None:
        status, answer = self.post(f"/threads/{thread}/messages/", text=text)
        assert 200 <= status < 300, (status, answer)

    def export(self, thread: str) -> dict[str, Any]:
        status, body = self.get(f"/threads/{thread}/export.json")
        assert status == 200, (status, body[:300])
        exported: dict[str, Any] = json.loads(body)
        return exported

    def wait(
        self, thread: str, condition: Callable[[dict[str, Any]], Any], within: float = 20
    ) -> dict[str, Any]:
        """The export, once the condition is true of it."""
        deadline = time.monotonic() + within
        while True:
            exported = self.export(thread)
            if condition(exported):
                return exported
            assert time.monotonic() < deadline, json.dumps(exported, indent=1)[:4000]
            time.sleep(0.05)

    async def watch(self, thread: str, until: Callable[[list[dict[str, Any]]], Any]) -> list[dict[str, Any]]:
        """The frames of a socket, up to and with the one that makes the condition true."""
        frames: list[dict[str, Any]] = []
        headers = {"Origin": self.server.url, "Cookie": f"sessionid={self.cookie('sessionid')}"}
        url = f"{self.server.url}/ws/threads/{thread}/"
        async with aiohttp.ClientSession() as session, session.ws_connect(url, headers=headers) as socket:
            while not until(frames):
                frames.append(json.loads(await socket.receive_str(timeout=20)))
        return frames


def seen_text(frames: list[dict[str, Any]]) -> str:
    """What a client has on its screen of the turn being written."""
    text = ""
    for frame in frames:
        if frame["type"] == "snapshot":
            text = frame["text"]
        elif frame["type"] == "text_withdrawn":
            text = ""
        elif frame["type"] == "text_delta":
            text += frame["text"]
    return text


def texts(exported: dict[str, Any], kind: str = "assistant_text") -> list[str]:
    """The stored texts of a kind, in order."""
    entries = [entry for segment in exported["segments"] for entry in segment["entries"]]
    return [entry["content"] for entry in entries if entry["type"] == kind]


def is_idle(exported: dict[str, Any]) -> bool:
    return exported["in_flight"] is None


def is_interrupted(exported: dict[str, Any]) -> bool:
    return bool(exported["in_flight"]) and exported["in_flight"]["status"] == "interrupted"
