"""What every Checkpointer keeps: one suite over the memory and the ORM store."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from agents.checkpoint import Checkpointer, LeasingCheckpointer, RestartingCheckpointer, RunHead
from agents.errors import RunInFlight, UserError
from agents.session import Segment
from agents.stores import InMemoryCheckpointer, InMemorySession, OrmCheckpointer, OrmSession
from agents.transcript import AssistantTextEntry, Entry, InputEntry
from agents.usage import Usage

INPUT: list[Entry] = [InputEntry("user", "hello")]
ANSWER: list[Entry] = [AssistantTextEntry("hi")]
HEAD = RunHead(agent_name="a")
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)

Store = InMemoryCheckpointer | OrmCheckpointer


ORM = pytest.param("orm", marks=pytest.mark.django_db(transaction=True, available_apps=["agents"]))


@pytest.fixture(params=["memory", ORM])
def store(request: pytest.FixtureRequest) -> Store:
    if request.param == "orm":
        return OrmCheckpointer()
    return InMemoryCheckpointer()


def test_both_are_checkpointers_that_lease_and_restart(store: Store) -> None:
    assert isinstance(store, Checkpointer)
    assert isinstance(store, LeasingCheckpointer)
    assert isinstance(store, RestartingCheckpointer)


async def test_an_unknown_run_is_none_and_its_deletion_no_error(store: Store) -> None:
    assert await store.load("nobody") is None
    await store.delete("nobody")


async def test_entries_are_appended_and_the_head_is_overwritten(store: Store) -> None:
    await store.append("r", INPUT, HEAD)
    await store.append("r", ANSWER, replace(HEAD, turns=1, status="interrupted"))
    snapshot = await store.load("r")
    assert snapshot is not None
    assert (snapshot.run_id, snapshot.entries) == ("r", INPUT + ANSWER)
    assert (snapshot.head.turns, snapshot.head.status) == (1, "interrupted")


async def test_an_append_without_entries_refreshes_the_head(store: Store) -> None:
    await store.append("r", INPUT, HEAD)
    await store.append("r", [], replace(HEAD, turns=3))
    snapshot = await store.load("r")
    assert snapshot is not None
    assert (snapshot.entries, snapshot.head.turns) == (INPUT, 3)


async def test_every_field_of_the_head_comes_back(store: Store) -> None:
    head = RunHead(
        agent_name="b\u00e9",
        usage=Usage(1, 2, 3, 4),
        turns=5,
        status="failed",
        output={"answer": [1, "x"]},
        error={"type": "ProviderError", "message": "no"},
        last_input_tokens=99,
        context_state={"summary": "😀", "cleared": ["c1"]},
        pending_handoff="other",
        started_at=NOON,
        updated_at=NOON,
        session_id="s",
        input_checked=True,
        done=True,
        started_calls=["c1"],
        tool_seconds={"c1": 0.5},
        model="openai:m",
        usage_estimated=True,
        reasoning_seconds={"3": 1.5},
    )
    await store.append("r", [], head)
    snapshot = await store.load("r")
    assert snapshot is not None
    assert snapshot.head == head


async def test_every_field_of_the_head_can_be_taken_back(store: Store) -> None:
    full = replace(
        HEAD, output="x", error={"type": "E"}, context_state={"a": 1}, done=True, started_calls=["c"]
    )
    await store.append("r", [], replace(full, started_at=NOON, updated_at=NOON))
    await store.append("r", [], replace(HEAD, started_at=NOON, updated_at=NOON))
    snapshot = await store.load("r")
    assert snapshot is not None
    assert snapshot.head == replace(HEAD, started_at=NOON, updated_at=NOON)


async def test_the_store_keeps_the_times_that_the_head_leaves_open(store: Store) -> None:
    await store.append("r", INPUT, HEAD)
    first = await store.load("r")
    await store.append("r", ANSWER, HEAD)
    second = await store.load("r")
    assert first is not None
    assert second is not None
    assert first.head.started_at == second.head.started_at
    assert second.head.updated_at is not None
    assert first.head.updated_at is not None
    assert first.head.updated_at <= second.head.updated_at
    assert abs((datetime.now(UTC) - second.head.updated_at).total_seconds()) < 60


async def test_what_a_caller_changes_does_not_reach_the_store(store: Store) -> None:
    entries, head = list(INPUT), replace(HEAD, started_calls=["c1"], context_state={"a": [1]})
    await store.append("r", entries, head)
    entries.clear()
    head.started_calls.append("c2")
    snapshot = await store.load("r")
    assert snapshot is not None
    snapshot.entries.clear()
    snapshot.head.started_calls.append("c3")
    again = await store.load("r")
    assert again is not None
    assert (again.entries, again.head.started_calls) == (INPUT, ["c1"])


async def test_an_append_that_fails_leaves_nothing_and_a_retry_stores_it_once(store: Store) -> None:
    await store.append("r", INPUT, HEAD)
    with pytest.raises(TypeError):
        await store.append("r", [*ANSWER, InputEntry("user", [object()])], replace(HEAD, turns=7))  # type: ignore[list-item]
    snapshot = await store.load("r")
    assert snapshot is not None
    assert (snapshot.entries, snapshot.head.turns) == (INPUT, 0)
    await store.append("r", ANSWER, replace(HEAD, turns=7))
    snapshot = await store.load("r")
    assert snapshot is not None
    assert (snapshot.entries, snapshot.head.turns) == (INPUT + ANSWER, 7)


async def test_delete_is_idempotent_and_the_id_can_be_used_again(store: Store) -> None:
    await store.append("r", INPUT, HEAD)
    await store.delete("r")
    await store.delete("r")
    assert await store.load("r") is None
    await store.append("r", ANSWER, HEAD)
    snapshot = await store.load("r")
    assert snapshot is not None
    assert snapshot.entries == ANSWER


@pytest.mark.parametrize("bad", ["", "x" * 201, "\x00"])
async def test_ids_that_cannot_be_kept_are_refused(store: Store, bad: str) -> None:
    with pytest.raises(UserError):
        await store.append(bad, INPUT, HEAD)
    with pytest.raises(UserError):
        await store.load(bad)


@pytest.mark.parametrize("status", ["running", "interrupted", "failed"])
async def test_a_second_unfinished_run_names_the_first(store: Store, status: str) -> None:
    head = replace(HEAD, session_id="s")
    await store.append("first", INPUT, replace(head, status=status))  # type: ignore[arg-type]
    with pytest.raises(RunInFlight) as refused:
        await store.append("second", INPUT, head)
    assert refused.value.run_id == "first"
    assert "first" in str(refused.value)
    assert await store.load("second") is None


async def test_runs_of_other_sessions_and_finished_ones_are_not_in_the_way(store: Store) -> None:
    await store.append("done", INPUT, replace(HEAD, session_id="s", status="completed"))
    for run_id, session_id in [("r1", "s"), ("r2", "t"), ("r3", None), ("r4", None)]:
        await store.append(run_id, INPUT, replace(HEAD, session_id=session_id))
    assert all([await store.load(run_id) for run_id in ("r1", "r2", "r3", "r4")])


async def test_a_completed_run_can_be_stored_beside_an_unfinished_one(store: Store) -> None:
    head = replace(HEAD, session_id="s")
    await store.append("first", INPUT, head)
    await store.append("done", INPUT, replace(head, status="completed"))
    assert await store.load("done") is not None


async def test_a_run_has_one_caller_at_a_time(store: Store) -> None:
    await store.acquire("r")
    with pytest.raises(RunInFlight):
        await store.acquire("r")
    await store.append("r", INPUT, HEAD)
    with pytest.raises(RunInFlight):
        await store.acquire("r")
    await store.release("r")
    await store.acquire("r")


async def test_release_is_harmless_when_there_is_nothing_to_release(store: Store) -> None:
    await store.release("nobody")
    await store.acquire("r")
    await store.release("r")
    await store.release("r")


@pytest.mark.parametrize(
    ("before", "after"), [("interrupted", "running"), ("failed", "running"), ("completed", "completed")]
)
async def test_an_acquired_run_is_running_again_unless_it_is_completed(
    store: Store, before: str, after: str
) -> None:
    await store.append("r", INPUT, replace(HEAD, status=before))  # type: ignore[arg-type]
    await store.acquire("r")
    snapshot = await store.load("r")
    assert snapshot is not None
    assert snapshot.head.status == after


@pytest.mark.parametrize("status", ["running", "interrupted", "failed", "completed"])
async def test_a_run_that_was_released_unwritten_is_as_it_was_found(store: Store, status: str) -> None:
    await store.append("r", INPUT, replace(HEAD, status=status, error={"type": "E"}))  # type: ignore[arg-type]
    before = await store.load("r")
    await store.acquire("r")
    await store.load("r")
    await store.release("r")
    assert await store.load("r") == before


async def test_a_run_that_was_written_to_stays_as_it_was_written(store: Store) -> None:
    await store.append("r", INPUT, replace(HEAD, status="failed"))
    await store.acquire("r")
    await store.append("r", ANSWER, HEAD)
    await store.release("r")
    snapshot = await store.load("r")
    assert snapshot is not None
    assert (snapshot.entries, snapshot.head.status) == (INPUT + ANSWER, "running")


async def test_a_run_that_was_restarted_stays_as_it_was_begun(store: Store) -> None:
    await store.append("r", INPUT, replace(HEAD, status="failed"))
    await store.acquire("r")
    await store.restart("r", ANSWER, HEAD, session=None)
    await store.release("r")
    snapshot = await store.load("r")
    assert snapshot is not None
    assert (snapshot.entries, snapshot.head.status) == (ANSWER, "running")


async def test_a_run_that_nobody_runs_can_be_acquired_and_goes_on(store: Store) -> None:
    await store.append("r", INPUT, HEAD)
    await store.acquire("r")
    await store.append("r", ANSWER, HEAD)
    await store.beat("r")
    snapshot = await store.load("r")
    assert snapshot is not None
    assert snapshot.entries == INPUT + ANSWER


async def test_restart_deletes_and_begins_anew_under_the_same_lease(store: Store) -> None:
    await store.append("r", INPUT, HEAD)
    await store.acquire("r")
    await store.delete("r")
    await store.append("r", ANSWER, HEAD)
    await store.append("r", [], replace(HEAD, turns=1))
    snapshot = await store.load("r")
    assert snapshot is not None
    assert (snapshot.entries, snapshot.head.turns) == (ANSWER, 1)


# --- a new run in the place of an old one ---

IN_SESSION = replace(HEAD, session_id="s")


async def completed(store: Store) -> InMemorySession | OrmSession:
    """Run "r" is the session's last, and its checkpoint is kept; we have it."""
    session = InMemorySession(store) if isinstance(store, InMemoryCheckpointer) else OrmSession()
    await session.append("s", INPUT, run_id="first")
    await session.append("s", INPUT + ANSWER, run_id="r", meta={"n": 1})
    await store.append("r", INPUT + ANSWER, replace(IN_SESSION, status="completed"))
    await store.acquire("r")
    return session


async def test_a_restart_replaces_the_run_and_its_segment(store: Store) -> None:
    session = await completed(store)
    assert store.can_restart(session)
    await store.restart("r", INPUT, IN_SESSION, session=session)
    await store.append("r", ANSWER, replace(IN_SESSION, turns=1))
    snapshot = await store.load("r")
    assert snapshot is not None
    assert (snapshot.entries, snapshot.head.turns, snapshot.head.status) == (INPUT + ANSWER, 1, "running")
    assert await session.segments("s") == [Segment("first", INPUT)]


async def test_a_restart_without_a_session_leaves_the_segments(store: Store) -> None:
    session = await completed(store)
    assert store.can_restart(None)
    await store.restart("r", INPUT, IN_SESSION, session=None)
    assert [segment.run_id for segment in await session.segments("s")] == ["first", "r"]


@pytest.mark.parametrize("why", ["another run is in flight", "the session has gone on", "it is no JSON"])
async def test_a_restart_that_is_refused_changes_nothing(store: Store, why: str) -> None:
    session, given = await completed(store), list(INPUT)
    if why == "another run is in flight":
        await store.append("rival", INPUT, replace(IN_SESSION, status="interrupted"))
    elif why == "the session has gone on":
        await session.append("s", INPUT, run_id="later")
    else:
        given.append(InputEntry("user", [object()]))  # type: ignore[list-item]
    before = await session.segments("s"), await store.load("r")
    with pytest.raises((UserError, TypeError), match=r"rival|gone on|object"):
        await store.restart("r", given, IN_SESSION, session=session)
    assert (await session.segments("s"), await store.load("r")) == before
