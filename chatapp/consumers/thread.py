"""The socket of one thread: a snapshot, then every frame of its runs without a gap or a repeat."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import parse_qs
from uuid import UUID

from agents.transcript import clean_text
from chatapp.consumers.database import in_reader_thread
from chatapp.consumers.socket import NOT_THERE, SIGNED_OUT, HangUp, Receive, Scope, Send, Socket
from chatapp.consumers.wording import language_in_query, worded
from chatapp.eventlog import Delivery, Frame, read_piece
from chatapp.eventlog.hub import encode, thread_topic
from chatapp.history.snapshot import Place, read_live, read_snapshot
from chatapp.models import Thread
from chatapp.models.by_hand import find

RUNS_REMEMBERED = 16
ENDS = '{"type":"run_finished"'  # how such a frame begins as it is published
MAX_SEQ = 2**31 - 1
MAX_DIGITS = len(str(MAX_SEQ))


async def thread_socket(scope: Scope, receive: Receive, send: Send) -> None:
    await ThreadSocket(scope, receive, send).serve()


class ThreadSocket(Socket):
    """Knows for each run which frame it sent last, so it can fill a gap from the log and drop a repeat."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        super().__init__(scope, receive, send)
        self.thread_id: UUID = scope["url_route"]["kwargs"]["thread_id"]
        self.topic = thread_topic(self.thread_id)
        self._place = place_in_query(scope["query_string"])
        self._language = language_in_query(scope["query_string"])
        self._sent: dict[str, int] = {}
        self._open: set[str] = set()  # of these, the runs whose end it has not sent yet
        self._one_at_a_time = asyncio.Lock()

    def refusal(self) -> int | None:
        if not self.is_signed_in():
            return SIGNED_OUT
        assert self._user_id is not None  # who has no account is not signed in
        return NOT_THERE if find(Thread, id=self.thread_id, owner_id=self._user_id) is None else None

    async def greet(self) -> None:
        await self._show(self._place)

    async def heard(self, message: dict[str, Any]) -> None:
        if message.get("type") == "sync":
            await self._show(place_of(message.get("run"), message.get("after")))

    async def _show(self, place: Place | None) -> None:
        async with self._one_at_a_time:
            snapshot = await in_reader_thread(read_snapshot, self.thread_id, place)
            await self.say(snapshot.frame)
            if not snapshot.frame["resumed"]:
                self._sent.clear()  # of runs that the snapshot does not show, nothing follows it
            self._remember(snapshot.places)
            self._open = set(snapshot.places) if snapshot.frame["status"] != "idle" else set()
            for run_id in snapshot.places if snapshot.frame["resumed"] else ():
                await self._catch_up(run_id)

    async def deliver(self, delivery: Delivery) -> None:
        async with self._one_at_a_time:
            if delivery.run_id is None:
                await self._pass_on(delivery)
            elif delivery.run_id in self._sent or delivery.frames[0][0] == 1:
                await self._end_those_before(delivery.run_id)
                await self._continue(delivery.run_id, delivery.frames)
            # else: the end of a run that the snapshot has shown as ended

    async def _pass_on(self, delivery: Delivery) -> None:
        for _, text in delivery.frames:
            await self.say_text(text)
            if json.loads(text)["type"] == "deleted":
                raise HangUp(NOT_THERE)

    async def _end_those_before(self, run_id: str) -> None:
        """A run begins when the one before it has ended. What of that was lost on its way comes first: a
        client names only its newest run when it comes back."""
        if run_id not in self._sent:
            for earlier in list(self._open):
                await self._catch_up(earlier)

    async def _continue(self, run_id: str, frames: tuple[tuple[int, str], ...]) -> None:
        for seq, text in frames:
            if seq > self._sent.get(run_id, 0) + 1:
                await self._catch_up(run_id)
            if seq > self._sent.get(run_id, 0):
                await self._say_of_run(run_id, seq, text, is_end=text.startswith(ENDS))

    async def _catch_up(self, run_id: str) -> None:
        """In pieces: the client may be slow, and all that it lacks may be a lot."""
        has_more = True
        while has_more:
            sent = self._sent.get(run_id, 0)
            missing, has_more = await in_reader_thread(read_piece, self.thread_id, run_id, sent)
            for frame in missing:
                await self._say_stored(frame)
            has_more = has_more and bool(missing)

    async def _say_stored(self, frame: Frame) -> None:
        is_end = frame["type"] == "run_finished"
        await self._say_of_run(frame["run_id"], frame["seq"], encode(frame), is_end=is_end)

    async def _say_of_run(self, run_id: str, seq: int, text: str, *, is_end: bool) -> None:
        await self.say_text(await worded(text, self._language))
        self._remember({run_id: seq})
        if is_end:
            self._open.discard(run_id)
        else:
            self._open.add(run_id)

    def _remember(self, places: dict[str, int]) -> None:
        """The newest run last; the oldest are forgotten."""
        for run_id, seq in places.items():
            self._sent.pop(run_id, None)
            self._sent[run_id] = seq
        while len(self._sent) > RUNS_REMEMBERED:
            oldest = next(iter(self._sent))
            del self._sent[oldest]
            self._open.discard(oldest)

    async def heal(self) -> None:
        async with self._one_at_a_time:
            await self._level()
            await self.say({"type": "history"})
        await self._check()

    async def beat(self) -> None:
        async with self._one_at_a_time:
            live = await self._level()
            await self.say({"type": "heartbeat", "live": live})

    async def _level(self) -> dict[str, Any]:
        """Sends what the log has and the client lacks, of the runs that it shows as unfinished or last too.

        An end may have been lost on its way from another process although the next run has come.
        """
        live = await in_reader_thread(read_live, self.thread_id)
        watched = next(reversed(self._sent), None)
        for run_id in {watched, *self._open} - {None, live["run_id"]}:
            await self._catch_up(str(run_id))
        if live["run_id"] is not None and self._sent.get(live["run_id"], 0) < live["seq"]:
            await self._catch_up(live["run_id"])
        return live


def place_in_query(query: bytes) -> Place | None:
    given = parse_qs(query.decode("utf-8", "replace"))
    return place_of(given.get("run", [None])[0], number(given.get("after", [""])[0]))


def number(digits: str) -> int | None:
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= MAX_DIGITS else None


def place_of(run: Any, after: Any) -> Place | None:
    """Where a client says it is; None for anything that no client of ours would say."""
    if not isinstance(run, str) or not 0 < len(run) <= 200 or clean_text(run) != run:
        return None
    if not isinstance(after, int) or isinstance(after, bool) or not 0 <= after <= MAX_SEQ:
        return None
    return Place(run, after)
