"""What a step costs must not depend on how long the run or the session is."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.checkpoint import RunHead
from agents.stores.orm import checkpoints, sessions
from agents.transcript import AssistantTextEntry, Entry
from tests.agents.orm import ANSWER, DONE, HEAD, call, result, start

pytestmark = pytest.mark.django_db

LENGTHS = (10, 5_000)


def long_run(session_id: str, length: int) -> int:
    """A run in flight of that many entries; its fence."""
    fence = start(session_id, session_id)
    entries: list[Entry] = [entry for n in range(length // 2) for entry in (call(str(n)), result(str(n)))]
    checkpoints.append(session_id, fence, entries[: length - 1], HEAD)
    return fence


def statements(work: Callable[[], object]) -> list[str]:
    """The SQL of it, without the savepoints that only a test's outer transaction makes."""
    with CaptureQueriesContext(connection) as captured:
        work()
    return [q["sql"] for q in captured if "SAVEPOINT" not in q["sql"]]


def head_after(length: int) -> RunHead:
    return replace(HEAD, turns=length // 2, started_calls=["1"], tool_seconds={"1": 0.25})


STEPS: dict[str, Callable[[str, int, int], object]] = {
    "save a turn": lambda run, fence, n: checkpoints.append(run, fence, [call("x")], head_after(n)),
    "finish": lambda run, fence, n: checkpoints.finish(
        run, fence, ANSWER, DONE, meta={"status": "completed"}
    ),
    "finish and keep": lambda run, fence, n: checkpoints.finish(
        run, fence, ANSWER, DONE, meta=None, keep=True
    ),
    "fold": lambda run, fence, n: checkpoints.fold(run, fence, tail=ANSWER, drop=[n - 1], meta=None),
    "set aside": lambda run, fence, n: sessions.set_aside(run, fence),
    "look": lambda run, fence, n: checkpoints.in_flight(run),
    "claim": lambda run, fence, n: checkpoints.claim(run, owner="x", force=True),
    "release": lambda run, fence, n: checkpoints.release(run, fence, head=HEAD),
}


@pytest.mark.parametrize("step", STEPS.values(), ids=list(STEPS))
def test_a_step_of_a_long_run_costs_what_it_costs_in_a_short_one(
    step: Callable[[str, int, int], object],
) -> None:
    fences = {length: long_run(str(length), length) for length in LENGTHS}
    short, long = (statements(partial(step, str(length), fence, length)) for length, fence in fences.items())
    assert len(short) == len(long)
    # Larger numbers have more digits; nothing else may grow.
    assert abs(sum(map(len, short)) - sum(map(len, long))) < 40


def test_the_number_of_statements_of_the_hot_paths() -> None:
    assert len(statements(start)) == 2
    assert len(statements(lambda: checkpoints.append("r", 1, ANSWER, HEAD))) == 2
    assert len(statements(lambda: checkpoints.append("r", 1, [], HEAD))) == 1
    assert len(statements(lambda: checkpoints.finish("r", 1, ANSWER, DONE, meta={}))) == 3


def test_many_entries_are_one_statement() -> None:
    start()
    assert len(statements(lambda: checkpoints.append("r", 1, ANSWER * 400, HEAD))) == 2


READS: dict[str, Callable[[str], object]] = {
    "last page": sessions.page,
    "an older page": lambda session: sessions.page(session, before=sessions.page(session, limit=5).before),
    "count": sessions.count_entries,
    "last input": sessions.last_input_ref,
    "load": sessions.load,
    "trim": lambda session: sessions.trim_tool_results(session, keep_runs=0),
    "rewind": lambda session: sessions.rewind(session, 3),
    "delete": sessions.delete_session,
}


@pytest.mark.parametrize("read", READS.values(), ids=list(READS))
def test_the_number_of_queries_is_the_same_in_a_long_session(read: Callable[[str], object]) -> None:
    _short_and_long_sessions()
    counts = {name: len(statements(partial(read, name))) for name in ("short", "one run", "many runs")}
    assert len(set(counts.values())) == 1, counts


def test_a_page_of_a_long_session_reads_its_own_entries_only() -> None:
    _short_and_long_sessions()
    for name in ("one run", "many runs"):
        page = sessions.page(name, limit=20)
        assert sum(len(run.entries) for run in page.runs) == 20
        assert len(page.runs) <= 20


def test_the_queries_of_a_list_do_not_grow_with_it() -> None:
    for number in range(40):
        start(f"r{number}", f"s{number}")
    few, many = ([f"s{n}" for n in range(count)] for count in (2, 40))
    assert len(statements(lambda: checkpoints.in_flight_many(few))) == 1
    assert len(statements(lambda: checkpoints.in_flight_many(many))) == 1
    assert len(statements(lambda: checkpoints.heartbeat("here:1:aa"))) == 1
    assert len(statements(checkpoints.orphans)) == 1


def _short_and_long_sessions() -> None:
    text: list[Entry] = [AssistantTextEntry("x")]
    sessions.append_segment("short", text * 10)
    sessions.append_segment("one run", text * 5_000)
    for _ in range(500):
        sessions.append_segment("many runs", text * 10)
