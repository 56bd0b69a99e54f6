"""What the tools take of the database."""

import threading
from concurrent.futures import ThreadPoolExecutor

from chatapp.tools.deps import MOST_CONNECTIONS, own_connection


def test_however_many_tools_run_they_leave_connections_to_others() -> None:
    all_in = threading.Barrier(MOST_CONNECTIONS + 1)
    goes_on, one_more = threading.Event(), threading.Event()

    def work() -> None:
        with own_connection():
            all_in.wait(10)
            goes_on.wait(10)

    def work_too() -> None:
        with own_connection():
            one_more.set()

    with ThreadPoolExecutor(MOST_CONNECTIONS + 1) as tools:
        for _ in range(MOST_CONNECTIONS):
            tools.submit(work)
        all_in.wait(10)
        tools.submit(work_too)
        try:
            assert not one_more.wait(0.2)
        finally:
            goes_on.set()
        assert one_more.wait(10)
