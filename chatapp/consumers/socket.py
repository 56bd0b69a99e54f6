"""What both sockets share: accept, greet, then forward until somebody hangs up."""

from __future__ import annotations

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from chatapp.consumers.database import in_reader_thread
from chatapp.consumers.login import Login
from chatapp.consumers.signout import is_sign_out
from chatapp.eventlog import Delivery, Frame, Subscription, hub
from chatapp.eventlog.hub import encode, user_topic

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

HEARTBEAT_SECONDS = 10.0
SIGNED_OUT = 4401
NOT_THERE = 4404


class HangUp(Exception):
    """Ends a socket; `code` is None when the client has gone already."""

    def __init__(self, code: int | None = None) -> None:
        super().__init__(code)
        self.code = code


class Socket(ABC):
    """One connection. Subscribe → accept → state → forward, in this order: nothing falls in between."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send
        self._user_id: int | None = scope["user"].pk
        self._login = Login(scope["session_key"], self._user_id)

    async def serve(self) -> None:
        await self._receive()  # websocket.connect
        try:
            await self._converse()
        except HangUp as end:
            await self._close(end.code)
        except OSError:
            return  # some servers raise when the client has gone

    async def _converse(self) -> None:
        refused = await in_reader_thread(self.refusal)
        with ExitStack() as subscriptions:
            if refused is None:
                news = subscriptions.enter_context(subscribed(self.topic))
                account = subscriptions.enter_context(subscribed(user_topic(self._user_id)))
                await news.ready()
            await self._send({"type": "websocket.accept"})
            if refused is not None:
                raise HangUp(refused)
            await self.greet()
            await first_of(self._listen(), self._forward(news), self._mind(account), self._beat())

    # what a kind of socket says of itself

    topic: str

    @abstractmethod
    def refusal(self) -> int | None:
        """In a thread: the code to close with when this user may not listen (any more)."""

    @abstractmethod
    async def greet(self) -> None:
        """Tells the state, once the subscription stands."""

    @abstractmethod
    async def deliver(self, delivery: Delivery) -> None:
        """Passes one batch on."""

    @abstractmethod
    async def heal(self) -> None:
        """Batches were lost: makes up for them from the database."""

    @abstractmethod
    async def beat(self) -> None:
        """One heartbeat."""

    @abstractmethod
    async def heard(self, message: dict[str, Any]) -> None:
        """What the client says; what it may not say is ignored."""

    # the four loops; each ends only by an exception

    async def _listen(self) -> None:
        while True:
            message = await self._receive()
            if message["type"] == "websocket.disconnect":
                raise HangUp
            said = decoded(message.get("text"))
            if said is not None:
                await self.heard(said)

    async def _forward(self, news: Subscription) -> None:
        while True:
            delivery = await news.get()
            if delivery is None:
                await self.heal()
            else:
                await self.deliver(delivery)

    async def _mind(self, account: Subscription) -> None:
        """A logout anywhere ends the sockets of that session at once."""
        while True:
            delivery = await account.get()
            if delivery is None:
                await self._check()
            elif is_sign_out(delivery, self._login.session_key):
                raise HangUp(SIGNED_OUT)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            await self._check()
            await self.beat()

    async def _check(self) -> None:
        refused = await in_reader_thread(self.refusal)
        if refused is not None:
            raise HangUp(refused)

    # for the kinds

    def is_signed_in(self) -> bool:
        """In a thread: whether the session still stands for the same, active user."""
        return self._login.stands()

    async def say(self, frame: Frame) -> None:
        await self.say_text(encode(frame))

    async def say_text(self, text: str) -> None:
        await self._send({"type": "websocket.send", "text": text})

    async def _close(self, code: int | None) -> None:
        if code is not None:
            with suppress(OSError):
                await self._send({"type": "websocket.close", "code": code})


@contextmanager
def subscribed(topic: str) -> Iterator[Subscription]:
    subscription = hub.subscribe(topic)
    try:
        yield subscription
    finally:
        hub.unsubscribe(subscription)


async def first_of(*loops: Coroutine[Any, Any, None]) -> None:
    """Runs the loops until one of them ends, ends the others, and raises what it raised."""
    tasks = [asyncio.ensure_future(loop) for loop in loops]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()


def decoded(text: str | None) -> dict[str, Any] | None:
    """A client's message, if it is a JSON object."""
    try:
        message = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) else None
