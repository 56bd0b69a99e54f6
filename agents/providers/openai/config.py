"""Which server to ask, and how long to wait for it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Self

from agents.errors import UserError

OPENAI_URL = "https://api.openai.com/v1"
IDLE_TIMEOUT = 120.0


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """Times in seconds. `idle_timeout`: the longest silence of a server, from the request on."""

    base_url: str = OPENAI_URL
    api_key: str = field(default="", repr=False)
    connect_timeout: float = 10
    idle_timeout: float = IDLE_TIMEOUT

    @classmethod
    def from_environment(cls) -> Self:
        """OPENAI_BASE_URL, OPENAI_API_KEY, and OPENAI_IDLE_TIMEOUT for servers that think for long."""
        idle = os.environ.get("OPENAI_IDLE_TIMEOUT", "").strip()
        return cls(
            base_url=os.environ.get("OPENAI_BASE_URL", "").strip().rstrip("/") or OPENAI_URL,
            api_key=os.environ.get("OPENAI_API_KEY", "").strip(),
            idle_timeout=_seconds(idle) if idle else IDLE_TIMEOUT,
        )

    @property
    def is_custom(self) -> bool:
        return self.base_url != OPENAI_URL


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds < float("inf"):
        raise UserError(f"OPENAI_IDLE_TIMEOUT is {text!r}.", hint="Give a number of seconds, such as 300.")
    return seconds
