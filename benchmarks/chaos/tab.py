"""A tab: one socket on one thread, lost and made anew, with the screen that its frames have made."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import aiohttp

from benchmarks.chaos.browser import Browser, Lost
from benchmarks.chaos.ledger import Ledger
from benchmarks.chaos.screen import Screen

SILENCE_SECONDS = 25.0
SIGNED_OUT, NOT_THERE = 4401, 4404
PLACE = re.compile(r'id="conversation"[^>]*?data-run="([^"]*)"[^>]*?data-after="(\d*)"')


class Tab:
    """`run` goes on until `close`, or until the thread is gone."""

    def __init__(self, thread: str, browser: Browser, ledger: Ledger, dice: random.Random) -> None:
        self.thread = thread
        self.screen = Screen()
        self.is_gone = False
        self.is_connected = False
        self._browser = browser
        self._ledger = ledger
        self._dice = dice
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self._dawdle = 0.0
        self._is_closing = False
        self._may_connect = asyncio.Event()
        self._may_connect.set()
        self._connection = asyncio.Lock()
        self._task = asyncio.create_task(self._live())

    # what a person does with it

    async def reconnect(self) -> None:
        """As after a bad network: it goes on from where it is."""
        await self._hang_up()

    async def forget(self) -> None:
        """A client that does not say where it is."""
        async with self._standing_still():
            self.screen.begin(None)

    async def reload(self) -> None:
        """The page is read again, and the socket made anew from what it shows."""
        async with self._standing_still():
            page = await self._browser.get(f"/threads/{self.thread}/conversation/")
            found = PLACE.search(page.body)
            if page.status == 200 and found is None:
                self._ledger.accuse("page", f"the conversation names no place: {page.body[:200]}")
            if found is not None:
                self.screen.begin((found[1], int(found[2] or 0)) if found[1] else None)
                self._ledger.count("reloads")

    async def ask(self) -> None:
        """`sync`, with or without need."""
        if self._socket is not None and self.is_connected:
            run, after = self.screen.ask() or (None, 0)
            with suppress(aiohttp.ClientError, OSError):
                await self._socket.send_json({"type": "sync", "run": run, "after": after})

    def dawdle(self, seconds: float) -> None:
        """Reads nothing for a while."""
        self._dawdle = seconds

    async def close(self) -> None:
        self._is_closing = True
        await self._hang_up()
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    @asynccontextmanager
    async def _standing_still(self) -> AsyncIterator[None]:
        """Without a connection, and without a new one meanwhile."""
        self._may_connect.clear()
        try:
            await self._hang_up()
            async with self._connection:
                yield
        finally:
            self._may_connect.set()

    async def _hang_up(self) -> None:
        socket = self._socket
        if socket is not None:
            with suppress(aiohttp.ClientError, OSError, TimeoutError):
                await asyncio.wait_for(socket.close(), 2)

    # its life

    async def _live(self) -> None:
        while not (self._is_closing or self.is_gone):
            await self._may_connect.wait()
            async with self._connection:
                with suppress(aiohttp.ClientError, OSError, TimeoutError):
                    await self._connect()
                self._socket, self.is_connected = None, False
            await asyncio.sleep(self._dice.uniform(0.05, 0.6))

    async def _connect(self) -> None:
        if not self._may_connect.is_set():
            return
        server = self._browser.some_server()
        place = self.screen.connect()
        query = {"run": place[0], "after": str(place[1])} if place else {}
        url = f"{server.url}/ws/threads/{self.thread}/"
        async with self._browser.session.ws_connect(
            url, headers={"Origin": server.url}, params=query, max_msg_size=0
        ) as socket:
            self._ledger.count("sockets")
            self._socket = socket
            if self._may_connect.is_set():
                self.is_connected = True
                await self._read(socket)

    async def _read(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        while True:
            message = await socket.receive(timeout=SILENCE_SECONDS)
            if message.type is not aiohttp.WSMsgType.TEXT:
                self.is_gone = socket.close_code in (SIGNED_OUT, NOT_THERE)
                return
            await self._take(message.data)
            if self._dawdle:
                pause, self._dawdle = self._dawdle, 0.0
                await asyncio.sleep(pause)

    async def _take(self, text: str) -> None:
        self._browser.look_through(text, f"the socket of {self.thread}")
        frame = json.loads(text)
        self._ledger.count("frames")
        if "seq" in frame and "run_id" in frame and frame["type"] != "snapshot":
            self._note(frame)
        known = len(self.screen.faults)
        if not self.screen.take(frame):
            self._ledger.count("heartbeats that told of a gap")
            await self.ask()
        for fault in self.screen.faults[known:]:
            self._ledger.accuse("frames in order", f"thread {self.thread}: {fault}")
        if frame["type"] == "snapshot" and not frame["resumed"]:
            await self._read_again()

    async def _read_again(self) -> None:
        """As a page does where a snapshot is all that it gets."""
        if self._dice.random() < 0.2:
            with suppress(Lost):
                await self._browser.get(f"/threads/{self.thread}/conversation/")

    def _note(self, frame: dict[str, Any]) -> None:
        """Two readers are never shown different things under one number."""
        seen = self._ledger.delivered.setdefault(frame["run_id"], {})
        mark = digest(frame)
        if seen.setdefault(frame["seq"], mark) != mark:
            self._ledger.accuse(
                "frames agree", f"run {frame['run_id']}: two frames have number {frame['seq']}"
            )


def digest(frame: dict[str, Any]) -> bytes:
    """Without the HTML of a step, which is in the language of who reads it."""
    text = json.dumps({**frame, "html": ""}, sort_keys=True, ensure_ascii=False)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
