"""OrmCheckpointer: one owner per run among all processes, and the end of a run as one transaction."""

import pytest

from agents.checkpoint import FinishingCheckpointer, RunSnapshot
from agents.errors import LeaseLost, RunInFlight, UserError
from agents.models import Checkpoint
from agents.stores import InMemorySession, OrmCheckpointer, OrmSession
from agents.stores.orm.threads import in_thread
from agents.transcript import InputEntry
from tests.agents.orm import ANSWER, DONE, HEAD, INPUT, expire, stored

pytestmark = pytest.mark.django_db(transaction=True, available_apps=["agents"])

# Two instances stand for two processes: nothing is shared but the database.
Two = tuple[OrmCheckpointer, OrmCheckpointer]


@pytest.fixture
def two() -> Two:
    return OrmCheckpointer(), OrmCheckpointer()


async def load(store: OrmCheckpointer) -> RunSnapshot:
    snapshot = await store.load("r")
    assert snapshot is not None
    return snapshot


async def started(store: OrmCheckpointer) -> None:
    await store.acquire("r")
    await store.append("r", INPUT, HEAD)


async def test_a_live_run_is_refused_to_everybody_else(two: Two) -> None:
    ours, theirs = two
    await started(ours)
    with pytest.raises(RunInFlight):
        await theirs.acquire("r")
    with pytest.raises(RunInFlight):
        await theirs.append("r", ANSWER, HEAD)
    assert (await load(theirs)).entries == INPUT
    await ours.append("r", ANSWER, HEAD)
    assert (await load(theirs)).entries == INPUT + ANSWER


async def test_a_run_without_a_lease_can_be_written_by_anybody(two: Two) -> None:
    ours, theirs = two
    await ours.append("r", INPUT, HEAD)
    await theirs.append("r", ANSWER, HEAD)
    assert (await load(ours)).entries == INPUT + ANSWER


async def test_a_released_run_goes_on_elsewhere(two: Two) -> None:
    ours, theirs = two
    await started(ours)
    await ours.release("r")
    await theirs.acquire("r")
    await theirs.append("r", ANSWER, HEAD)
    with pytest.raises(RunInFlight):
        await ours.append("r", ANSWER, HEAD)


async def test_a_run_whose_owner_was_not_heard_of_is_taken_and_its_old_owner_writes_nothing(two: Two) -> None:
    ours, theirs = two
    await started(ours)
    await in_thread(expire, "r")
    await theirs.acquire("r")
    for write in (
        ours.append("r", ANSWER, HEAD),
        ours.beat("r"),
        ours.delete("r"),
        ours.finish("r", ANSWER, DONE, session=OrmSession(), meta=None, delete=True),
    ):
        with pytest.raises(LeaseLost):
            await write
    await ours.release("r")
    await theirs.beat("r")
    await theirs.append("r", ANSWER, HEAD)
    assert (await load(theirs)).entries == INPUT + ANSWER


async def test_an_owner_before_a_restart_cannot_write_into_the_new_run(two: Two) -> None:
    ours, theirs = two
    await started(ours)
    await in_thread(expire, "r")
    await theirs.acquire("r")
    await theirs.delete("r")
    await theirs.append("r", [InputEntry("user", "anew")], HEAD)
    with pytest.raises(LeaseLost):
        await ours.append("r", ANSWER, HEAD)
    assert (await load(theirs)).entries == [InputEntry("user", "anew")]


async def test_a_beat_keeps_the_lease_alive(two: Two) -> None:
    ours, theirs = two
    await started(ours)
    await in_thread(expire, "r")
    await ours.beat("r")
    with pytest.raises(RunInFlight):
        await theirs.acquire("r")


async def test_a_refused_acquire_can_be_tried_again(two: Two) -> None:
    ours, theirs = two
    await started(ours)
    with pytest.raises(RunInFlight):
        await theirs.acquire("r")
    await ours.release("r")
    await theirs.acquire("r")


def test_it_finishes_into_an_orm_session_only() -> None:
    store = OrmCheckpointer()
    assert isinstance(store, FinishingCheckpointer)
    assert store.can_finish(OrmSession())
    assert not store.can_finish(InMemorySession())


@pytest.mark.parametrize("delete", [True, False])
async def test_finish_writes_the_segment_and_ends_the_checkpoint(two: Two, delete: bool) -> None:
    ours, theirs = two
    session = OrmSession()
    await started(ours)
    await ours.finish("r", ANSWER, DONE, session=session, meta={"n": 1}, delete=delete)
    await ours.release("r")
    (segment,) = await session.segments("s")
    assert (segment.entries, segment.meta) == (INPUT + ANSWER, {"n": 1})
    snapshot = await theirs.load("r")
    assert (snapshot is None) is delete
    if snapshot is not None:
        assert (snapshot.entries, snapshot.head.status) == (INPUT + ANSWER, "completed")
        with pytest.raises(UserError, match="finished"):
            await theirs.append("r", ANSWER, HEAD)
    await theirs.delete("r")
    assert await in_thread(stored) == (0, 1, 2, 0)


async def test_only_who_acquired_a_run_finishes_it(two: Two) -> None:
    ours, theirs = two
    await started(ours)
    with pytest.raises(UserError):
        await theirs.finish("r", ANSWER, DONE, session=OrmSession(), meta=None, delete=True)
    assert await in_thread(Checkpoint.objects.count) == 1


async def test_a_rewind_takes_the_kept_checkpoint_so_that_no_resume_brings_the_tail_back(two: Two) -> None:
    ours, _ = two
    session = OrmSession()
    await started(ours)
    await ours.finish("r", ANSWER, DONE, session=session, meta=None, delete=False)
    await session.rewind("s", keep_entries=1)
    assert await ours.load("r") is None
    assert await session.load("s") == INPUT
