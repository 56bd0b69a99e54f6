"""The event log: batches, order, what is withdrawn, and a database that is away for a moment."""

import asyncio
import threading
from uuid import uuid4

import pytest
from django.db import OperationalError

from agents import events
from agents.checkpoint import RunHead
from agents.errors import LeaseLost, StorageError
from agents.stores.orm import checkpoints
from agents.transcript import AssistantTextEntry, InputEntry
from chatapp.eventlog import EventLog, RunChannel, read_after
from chatapp.eventlog import channel as channel_module
from chatapp.eventlog import log as eventlog_module
from chatapp.eventlog.channel import PATIENCE
from chatapp.eventlog.frames import frame_of
from chatapp.eventlog.rows import written_up_to
from chatapp.models import RunEvent

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def channel(thread):
    """A run in flight under our lease, with its input stored and nothing shown."""
    run_id = str(uuid4())
    head = RunHead(agent_name="helper", session_id=thread.session_id)
    fence = checkpoints.start(run_id, thread.session_id, [InputEntry("user", "Go")], head, owner="us:1:x")
    return RunChannel(
        thread_id=thread.id, run_id=run_id, owner_id=thread.owner_id, fence=fence, next_seq=1, stored=1
    )


def said(channel, text, index=1):
    return events.TextStreamed(run_id=channel.run_id, index=index, text=text)


def shown(channel):
    frames = read_after(channel.thread_id, channel.run_id, 0)
    assert [frame["seq"] for frame in frames] == list(range(1, len(frames) + 1))
    return [(frame["type"], frame.get("text", "")) for frame in frames]


def log_of(channel, lost=None):
    log = EventLog(on_lost=lambda *which: (lost if lost is not None else []).append(which))
    log.open(channel)
    return log


async def quiet(channel):
    async with asyncio.timeout(5):
        while channel.has_news or channel.writing:  # noqa: ASYNC110 (a plain object, no event to wait for)
            await asyncio.sleep(0.01)


async def in_thread(function, *args):
    return await asyncio.get_running_loop().run_in_executor(None, function, *args)


async def test_deltas_are_merged_and_numbered(channel):
    log = log_of(channel)
    for piece in ("Hel", "lo", " you"):
        log.emit(channel, said(channel, piece))
    await quiet(channel)
    assert await in_thread(shown, channel) == [("text_delta", "Hello you")]


async def test_the_transactions_do_not_grow_with_the_deltas(channel):
    log = log_of(channel)
    for number in range(2000):
        log.emit(channel, said(channel, f"{number} "))
    await quiet(channel)
    assert await in_thread(RunEvent.objects.count) <= 3


async def test_void_text_goes_in_one_row_with_what_replaces_it(channel):
    log = log_of(channel)
    log.emit(channel, said(channel, "first try"))
    await quiet(channel)
    log.emit(channel, events.Retrying(run_id=channel.run_id, attempt=2, of=4, reason="cut"))
    await quiet(channel)
    assert [kind for kind, _ in await in_thread(shown, channel)] == ["text_delta", "retry"]
    log.emit(channel, events.TextWithdrawn(run_id=channel.run_id))
    log.emit(channel, said(channel, "second"))
    await quiet(channel)
    assert (await in_thread(shown, channel))[2:] == [("text_withdrawn", ""), ("text_delta", "second")]
    rows = await in_thread(lambda: list(RunEvent.objects.order_by("first_seq")))
    assert [frame["type"] for frame in rows[-1].frames] == ["text_withdrawn", "text_delta"]


async def test_text_that_nobody_is_to_see_goes_although_nothing_replaces_it(channel):
    log = log_of(channel)
    log.emit(channel, said(channel, "a secret"))
    await quiet(channel)
    log.emit(channel, events.TextWithdrawn(run_id=channel.run_id))
    await quiet(channel)
    assert [kind for kind, _ in await in_thread(shown, channel)] == ["text_delta", "text_withdrawn"]


async def test_nothing_is_withdrawn_where_nothing_was_shown(channel):
    log = log_of(channel)
    log.emit(channel, events.TextWithdrawn(run_id=channel.run_id))
    log.emit(channel, said(channel, "first"))
    await quiet(channel)
    assert await in_thread(shown, channel) == [("text_delta", "first")]


async def test_a_run_whose_lease_went_writes_no_frame_more_and_is_told(channel):
    lost: list[tuple[str, int]] = []
    log = log_of(channel, lost)
    await in_thread(lambda: checkpoints.claim(channel.run_id, owner="them:2:y", force=True))
    log.emit(channel, said(channel, "too late"))
    async with asyncio.timeout(5):
        while not lost:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert lost == [(channel.run_id, channel.fence)]
    assert await in_thread(shown, channel) == []


def saving(channel, *, fails=0, after_commit=False):
    """A save of one entry that fails so often, before its commit or after it."""
    tries: list[int] = []

    def operation(inside):
        tries.append(1)
        entry = AssistantTextEntry("Hello")
        head = RunHead(agent_name="helper")
        if len(tries) <= fails and not after_commit:
            raise OperationalError("away")
        checkpoints.append(channel.run_id, channel.fence, [entry], head, inside=inside)
        if len(tries) <= fails:
            raise OperationalError("away, after the commit")

    return operation, tries


@pytest.mark.parametrize("after_commit", [False, True])
@pytest.mark.parametrize("text", ["Hello", ""])
async def test_a_save_that_failed_is_made_exactly_once(channel, monkeypatch, after_commit, text):
    monkeypatch.setattr("chatapp.eventlog.log.ATTEMPT_PAUSES", (0.01, 0.01))
    log = log_of(channel)
    if text:
        log.emit(channel, said(channel, text))
    operation, _ = saving(channel, fails=1, after_commit=after_commit)
    await log.write_with(channel, operation, closing=[], added=1)
    run = await in_thread(checkpoints.run_in_flight, channel.run_id)
    assert (run.next_index, channel.stored) == (2, 2)
    texts = [words for kind, words in await in_thread(shown, channel) if kind == "text_delta"]
    assert "".join(texts) == text


async def test_a_save_that_never_succeeds_says_so_and_keeps_its_frames_for_the_end(channel, monkeypatch):
    monkeypatch.setattr("chatapp.eventlog.log.ATTEMPT_PAUSES", (0.01,))
    log = log_of(channel)
    log.emit(channel, said(channel, "Hello"))
    operation, tries = saving(channel, fails=9)
    with pytest.raises(StorageError):
        await log.write_with(channel, operation, closing=[{"type": "run_finished", "status": "completed"}])
    assert len(tries) == 2
    await log.write_with(
        channel, lambda inside: inside(), closing=[{"type": "run_finished", "status": "failed"}]
    )
    frames = await in_thread(read_after, channel.thread_id, channel.run_id, 0)
    assert [frame.get("status") for frame in frames if frame["type"] == "run_finished"] == ["failed"]
    assert frames[0]["text"] == "Hello"


async def test_a_lost_lease_is_not_tried_again(channel):
    log = log_of(channel)
    await in_thread(lambda: checkpoints.claim(channel.run_id, owner="them:2:y", force=True))
    operation, tries = saving(channel)
    with pytest.raises(LeaseLost):
        await log.write_with(channel, operation, closing=[], added=1)
    assert len(tries) == 1


async def test_a_cancelled_save_is_awaited_and_counted(channel):
    log = log_of(channel)
    log.emit(channel, said(channel, "Hello"))
    operation, _ = saving(channel)
    save = asyncio.create_task(log.write_with(channel, operation, closing=[], added=1))
    await asyncio.sleep(0)
    save.cancel()
    with pytest.raises(asyncio.CancelledError):
        await save
    assert channel.stored == 2
    assert not channel.writing


async def test_a_save_is_awaited_however_often_it_is_cancelled(channel):
    log = log_of(channel)
    operation, _ = saving(channel)
    save = asyncio.create_task(log.write_with(channel, operation, closing=[], added=1))
    for _ in range(3):
        await asyncio.sleep(0)
        save.cancel()
    with pytest.raises(asyncio.CancelledError):
        await save
    assert channel.stored == 2


@pytest.fixture
def other_channel(make_thread, channel):
    """Another run of the same process."""
    thread, run_id = make_thread(title="Other"), str(uuid4())
    head = RunHead(agent_name="helper", session_id=thread.session_id)
    fence = checkpoints.start(run_id, thread.session_id, [InputEntry("user", "Go")], head, owner="us:1:x")
    return RunChannel(
        thread_id=thread.id, run_id=run_id, owner_id=thread.owner_id, fence=fence, next_seq=1, stored=1
    )


async def test_a_frame_that_cannot_be_written_stops_nobody_else(channel, other_channel):
    log = log_of(channel)
    log.open(other_channel)
    channel.add_frame({"type": "tool_progress", "call_id": "c", "done": object()})
    log.emit(channel, said(channel, "lost"))
    log.emit(other_channel, said(other_channel, "Hello"))
    await quiet(other_channel)
    await quiet(channel)
    assert await in_thread(shown, other_channel) == [("text_delta", "Hello")]
    log.emit(channel, said(channel, "and on"))
    await quiet(channel)
    assert await in_thread(shown, channel) == [("text_delta", "and on")]


@pytest.mark.parametrize("unwritable", [object(), "half an emoji \ud83d"], ids=["no JSON", "no text"])
async def test_frames_that_cannot_be_written_do_not_keep_an_entry_from_its_store(channel, unwritable):
    log = log_of(channel)
    channel.add_frame({"type": "tool_progress", "call_id": "c", "done": unwritable})
    operation, _ = saving(channel)
    await log.write_with(
        channel, operation, closing=[{"type": "run_finished", "status": "completed"}], added=1
    )
    frames = await in_thread(read_after, channel.thread_id, channel.run_id, 0)
    assert [frame["type"] for frame in frames] == ["run_finished"]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "many", None])
def test_progress_of_any_kind_is_shown_as_a_number(value):
    event = events.ToolProgressed(run_id="r", call_id="c", done=value, total=value, note="a\x00\ud800")
    frame = frame_of(event) or {}
    assert (frame["done"], frame["total"], frame["note"]) == (0.0, None, "a\ufffd\ufffd")


@pytest.mark.parametrize("then", ["delta", "save"])
async def test_a_batch_whose_commit_was_not_answered_is_not_written_again(channel, monkeypatch, then):
    monkeypatch.setattr("chatapp.eventlog.log.RETRY_SECONDS", 0.01)
    log, answered = log_of(channel), []

    def lossy(channels):
        held = write_rows(channels)
        if not answered:
            answered.append(1)
            raise OperationalError("the connection was closed")
        return held

    write_rows = eventlog_module._write_rows
    monkeypatch.setattr(eventlog_module, "_write_rows", lossy)
    log.emit(channel, said(channel, "Hel"))
    async with asyncio.timeout(5):
        while not answered:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
    if then == "save":
        operation, _ = saving(channel)
        await log.write_with(channel, operation, closing=[], added=1)
    else:
        log.emit(channel, said(channel, "lo"))
    await quiet(channel)
    texts = [words for kind, words in await in_thread(shown, channel) if kind == "text_delta"]
    assert "".join(texts) == ("Hello" if then == "delta" else "Hel")


async def test_a_save_while_the_log_cannot_be_read_takes_the_waiting_frames_along(channel, monkeypatch):
    """A batch met a database that was away, and so does the save, before it can look what the batch wrote."""
    monkeypatch.setattr("chatapp.eventlog.log.ATTEMPT_PAUSES", (0.01, 0.01))
    log, looked = log_of(channel), []

    def away_at_first(*args):
        looked.append(1)
        if len(looked) == 1:
            raise OperationalError("away")
        return written_up_to(*args)

    monkeypatch.setattr(channel_module, "written_up_to", away_at_first)
    channel.add(said(channel, "Hello"))
    channel.in_doubt = True
    operation, _ = saving(channel)
    await log.write_with(channel, operation, closing=[{"type": "run_finished"}], added=1)
    kinds = await in_thread(shown, channel)
    assert [kind for kind, _ in kinds] == ["text_delta", "text_delta", "run_finished"]
    assert "".join(text for _, text in kinds) == "Hello"


async def test_a_text_that_begins_waits_for_nobody_and_takes_nobody_with_it(channel, other_channel):
    log = log_of(channel)
    log.open(other_channel)
    log.emit(channel, said(channel, "It "))
    await quiet(channel)
    log.emit(channel, said(channel, "goes on"))
    log.emit(other_channel, said(other_channel, "Hello"))
    await quiet(other_channel)
    assert channel.has_news
    await quiet(channel)
    assert await in_thread(shown, channel) == [("text_delta", "It "), ("text_delta", "goes on")]


async def test_the_call_of_a_quick_tool_is_written_with_its_result(channel):
    log = log_of(channel)
    called = events.ToolCalled(channel.run_id, 1, "c", "look", "{}", started=True)
    log.emit(channel, called)
    await asyncio.sleep(0.001)
    log.emit(channel, events.ToolReturned(channel.run_id, 2, "c", "look", "Found", is_error=False, seconds=0))
    await quiet(channel)
    assert await in_thread(RunEvent.objects.count) == 1


async def test_its_end_waits_for_what_is_being_written_and_begins_nothing_more(channel, monkeypatch):
    begun, may_go_on = threading.Event(), threading.Event()

    def slowly(channels):
        begun.set()
        assert may_go_on.wait(5)
        return write_rows(channels)

    write_rows = eventlog_module._write_rows
    monkeypatch.setattr(eventlog_module, "_write_rows", slowly)
    log = log_of(channel)
    log.emit(channel, said(channel, "in time"))
    await in_thread(begun.wait, 5)
    log.emit(channel, said(channel, " too late"))
    asyncio.get_running_loop().call_later(0.05, may_go_on.set)
    await log.end()
    assert await in_thread(shown, channel) == [("text_delta", "in time")]
    log.emit(channel, said(channel, ", and later"))
    await asyncio.sleep(4 * PATIENCE)
    assert await in_thread(shown, channel) == [("text_delta", "in time")]
    assert not [task for task in asyncio.all_tasks() if "_flush" in repr(task)]
