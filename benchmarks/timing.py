"""How long a call takes, how many queries it makes."""

import statistics
import time
from collections.abc import Callable

from django.db import connection
from django.test.utils import CaptureQueriesContext


def measure(work: Callable[[], object], *, times: int = 30) -> dict[str, float]:
    """Median milliseconds and the number of queries of one call, after a first one that warms up."""
    work()
    with CaptureQueriesContext(connection) as captured:
        work()
        queries = len(captured)
    seconds = [timed(work) for _ in range(times)]
    return {"median ms": statistics.median(seconds) * 1000, "queries": queries}


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def percentile(values: list[float], percent: int) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]
