"""The socket of a user's sidebar: which threads are live, wait, or have changed.

Hints only; the list itself is read by HTTP.
"""

from __future__ import annotations

from typing import Any

from chatapp.consumers.database import in_reader_thread
from chatapp.consumers.signout import SIGNED_OUT_FRAME
from chatapp.consumers.socket import SIGNED_OUT, Receive, Scope, Send, Socket
from chatapp.eventlog import Delivery
from chatapp.eventlog.hub import user_topic
from chatapp.history.sidebar import states_of


async def user_socket(scope: Scope, receive: Receive, send: Send) -> None:
    await UserSocket(scope, receive, send).serve()


class UserSocket(Socket):
    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        super().__init__(scope, receive, send)
        self.topic = user_topic(self._user_id)

    def refusal(self) -> int | None:
        return None if self.is_signed_in() else SIGNED_OUT

    async def greet(self) -> None:
        assert self._user_id is not None  # else it was refused
        states = await in_reader_thread(states_of, self._user_id)
        await self.say({"type": "snapshot", "threads": states})

    async def deliver(self, delivery: Delivery) -> None:
        for _, text in delivery.frames:
            if f'"{SIGNED_OUT_FRAME}"' not in text:
                await self.say_text(text)

    async def heal(self) -> None:
        await self.greet()

    async def beat(self) -> None:
        await self.say({"type": "heartbeat"})

    async def heard(self, message: dict[str, Any]) -> None:
        """Nothing that a sidebar says is of interest."""
