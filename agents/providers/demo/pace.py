"""How fast the demo speaks: text in pieces the size of a model's tokens, and the waiting between them."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator

WIDE = r"\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
TOKEN = re.compile(rf"\s*[{WIDE}]{{1,2}}|\s*[^\s{WIDE}]{{1,5}}|\s+")


def tokens(text: str) -> list[str]:
    """Pieces that add up to exactly the text; Chinese by one or two characters, as models do."""
    return TOKEN.findall(text)


class Pace:
    """One answer's clock. It keeps the rate over the whole answer, however late a single wake-up is."""

    def __init__(self, tokens_per_second: float | None) -> None:
        self._gap = 1 / tokens_per_second if tokens_per_second else 0.0
        self._due = time.monotonic()

    async def pieces(self, text: str) -> AsyncIterator[str]:
        for token in tokens(text):
            await self.beat()
            yield token

    async def beat(self, count: float = 1) -> None:
        """Wait for as long as so many tokens take. Others always get their turn."""
        now = time.monotonic()
        self._due = max(self._due, now - self._gap) + count * self._gap
        await asyncio.sleep(max(0.0, self._due - now))
