"""What the fake model server remembers of one request."""

import threading
import time
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(slots=True)
class Recorded:
    """One request and what became of it. Times are `time.monotonic()`; `tokens`, `text`: what went out.

    `peer` is the client's end of the connection: requests of one peer shared it.
    """

    number: int
    path: str
    headers: dict[str, str]
    raw: bytes
    body: Any
    received_at: float = field(default_factory=time.monotonic)
    peer: tuple[str, int] | None = None
    status: int | None = None
    refusal: str | None = None
    tokens: int = 0
    text: str = ""
    first_token_at: float | None = None
    ended_at: float | None = None
    closed_by: Literal["client", "server"] | None = None
    _ended: threading.Event = field(default_factory=threading.Event, repr=False)

    @property
    def messages(self) -> list[dict[str, Any]]:
        messages = self.body.get("messages") if isinstance(self.body, dict) else None
        return messages if isinstance(messages, list) else []

    @property
    def last_user(self) -> str:
        """The text of the last user message."""
        for message in reversed(self.messages):
            if isinstance(message, dict) and message.get("role") == "user":
                return _text(message.get("content"))
        return ""

    @property
    def turn(self) -> int:
        """How many assistant messages follow the last user message."""
        count = 0
        for message in reversed(self.messages):
            if not isinstance(message, dict) or message.get("role") == "user":
                break
            count += message.get("role") == "assistant"
        return count

    @property
    def is_open(self) -> bool:
        return self.ended_at is None

    def sent(self, piece: str) -> None:
        if self.first_token_at is None:
            self.first_token_at = time.monotonic()
        self.tokens += 1
        self.text += piece

    def end(self, closed_by: Literal["client", "server"]) -> None:
        if self.ended_at is None:
            self.ended_at, self.closed_by = time.monotonic(), closed_by
            self._ended.set()

    def wait_ended(self, timeout: float = 5) -> None:
        """Blocks until the answer is through or the client has closed the connection. TimeoutError.

        For sync tests: where the client is in the caller's event loop, blocking would keep it from closing.
        """
        if not self._ended.wait(timeout):
            raise TimeoutError(f"request {self.number} is still open after {timeout} s")

    def as_json(self) -> dict[str, Any]:
        names = ("number", "path", "headers", "body", "received_at", "status", "refusal", "tokens", "text")
        more = ("first_token_at", "ended_at", "closed_by")
        return {name: getattr(self, name) for name in (*names, *more)}


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(part["text"] for part in parts if isinstance(part, dict) and part.get("type") == "text")
