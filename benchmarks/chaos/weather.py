"""When the database was not there: then a process has to say so, or cannot start."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

AFTERMATH = 2.0


@dataclass(slots=True)
class Weather:
    outages: list[tuple[float, float]] = field(default_factory=list)

    def was_bad(self, since: float) -> bool:
        return any(ended + AFTERMATH >= since for _, ended in self.outages)

    @contextmanager
    def bad(self) -> Iterator[None]:
        began = time.time()
        self.outages.append((began, float("inf")))
        try:
            yield
        finally:
            self.outages[-1] = (began, time.time())
