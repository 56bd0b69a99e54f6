"""What every Session keeps: one suite over the memory and the ORM store."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.checkpoint import RunHead
from agents.errors import UserError
from agents.session import Segment, Session, rewind_segments
from agents.stores import InMemoryCheckpointer, InMemorySession, OrmCheckpointer, OrmSession
from agents.stores.trimming import archive_digest
from agents.transcript import (
    AssistantTextEntry,
    Entry,
    InputEntry,
    ToolCallEntry,
    ToolResultEntry,
    drop_dangling_tool_calls,
)

Stores = tuple[InMemorySession | OrmSession, InMemoryCheckpointer | OrmCheckpointer]


ORM = pytest.param("orm", marks=pytest.mark.django_db(transaction=True, available_apps=["agents"]))


@pytest.fixture(params=["memory", ORM])
def stores(request: pytest.FixtureRequest) -> Stores:
    if request.param == "orm":
        return OrmSession(), OrmCheckpointer()
    checkpointer = InMemoryCheckpointer()
    return InMemorySession(checkpointer), checkpointer


@pytest.fixture
def session(stores: Stores) -> InMemorySession | OrmSession:
    return stores[0]


def said(text: str) -> list[Entry]:
    return [InputEntry("user", text), AssistantTextEntry(text.upper())]


def used_tool(output: str = "ok", call_id: str = "c1") -> list[Entry]:
    return [
        InputEntry("user", "look"),
        ToolCallEntry(call_id, "look", "{}"),
        ToolResultEntry(call_id, output),
        AssistantTextEntry("seen"),
    ]


def test_both_are_sessions(session: InMemorySession | OrmSession) -> None:
    assert isinstance(session, Session)


async def test_segments_come_back_in_the_order_of_their_append(session: InMemorySession) -> None:
    first = await session.append("s", said("a"), run_id="r2", meta={"n": 1})
    second = await session.append("s", said("b"), run_id="r1")
    assert (first, second) == ("r2", "r1")
    assert await session.segments("s") == [
        Segment("r2", said("a"), {"n": 1}),
        Segment("r1", said("b"), None),
    ]
    assert await session.load("s") == said("a") + said("b")


async def test_the_first_write_of_a_run_wins(session: InMemorySession) -> None:
    await session.append("s", said("a"), run_id="r", meta={"n": 1})
    assert await session.append("s", said("b"), run_id="r", meta={"n": 2}) == "r"
    assert await session.segments("s") == [Segment("r", said("a"), {"n": 1})]


async def test_the_same_run_in_two_sessions_is_two_segments(session: InMemorySession) -> None:
    await session.append("s", said("a"), run_id="r")
    await session.append("t", said("b"), run_id="r")
    assert (await session.load("s"), await session.load("t")) == (said("a"), said("b"))


async def test_without_a_run_id_there_is_a_fresh_one(session: InMemorySession) -> None:
    ids = {await session.append("s", said("a")), await session.append("s", said("a"))}
    assert ids == {segment.run_id for segment in await session.segments("s")}
    assert len(ids) == 2


@pytest.mark.parametrize(
    "meta",
    [None, {}, {"status": "stopped", "usage": {"a": 1.5}, "list": [1, None, True, "é😀"]}, {"x": 1e20}],
)
async def test_meta_comes_back_verbatim(session: InMemorySession, meta: dict[str, Any] | None) -> None:
    await session.append("s", [], run_id="r", meta=meta)
    (segment,) = await session.segments("s")
    assert segment.meta == meta
    assert repr(segment.meta) == repr(meta)


async def test_what_a_caller_changes_does_not_reach_the_store(session: InMemorySession) -> None:
    entries, meta = used_tool(), {"list": [1]}
    await session.append("s", entries, run_id="r", meta=meta)
    entries.clear()
    meta["list"].append(2)
    (segment,) = await session.segments("s")
    segment.entries.clear()
    assert segment.meta is not None
    segment.meta["list"].append(3)
    assert await session.segments("s") == [Segment("r", used_tool(), {"list": [1]})]


async def test_an_unknown_session_is_empty(session: InMemorySession) -> None:
    assert (await session.segments("nobody"), await session.load("nobody")) == ([], [])
    await session.clear("nobody")
    assert await session.rewind("nobody", keep_entries=0) == 0


@pytest.mark.parametrize("bad", ["", "x" * 201, "a\x00b", "\ud83d"])
async def test_ids_that_cannot_be_kept_are_refused(session: InMemorySession, bad: str) -> None:
    for act in (session.segments, session.load, session.clear):
        with pytest.raises(UserError):
            await act(bad)
    with pytest.raises(UserError):
        await session.append(bad, [])
    with pytest.raises(UserError):
        await session.append("s", [], run_id=bad)


async def test_odd_but_good_ids_are_kept_apart(session: InMemorySession) -> None:
    ids = ["x" * 200, " ", "A", "a", "a%", "ab", "a/b", "'; --", "é😀"]
    for name in ids:
        await session.append(name, said(name), run_id="r")
    assert [await session.load(name) for name in ids] == [said(name) for name in ids]


async def test_clear_forgets_one_session_only(session: InMemorySession) -> None:
    for name in ("s", "s2"):
        await session.append(name, said(name))
    await session.clear("s")
    assert (await session.load("s"), await session.load("s2")) == ([], said("s2"))


@pytest.mark.parametrize(
    "text", ["nul\x00", "\ud83d", "a\r\nb", "\ud83d\ude00", "x" * 1_000_000, "שלום 你好 😀"]
)
async def test_any_text_is_stored_as_the_border_leaves_it(session: InMemorySession, text: str) -> None:
    clean = text.replace("\ud83d\ude00", "😀").replace("\x00", "\ufffd").replace("\ud83d", "\ufffd")
    clean = clean.replace("\r\n", "\n")
    await session.append("s", said(text), run_id="r", meta={"title": text})
    assert (await session.segments("s"))[0].entries[0] == InputEntry("user", clean)
    assert (await session.segments("s"))[0].meta == {"title": clean}


# --- rewind ---


async def test_rewind_refuses_a_negative_number(session: InMemorySession) -> None:
    with pytest.raises(ValueError):
        await session.rewind("s", keep_entries=-1)


@pytest.mark.parametrize("keep", [4, 5, 1000])
async def test_rewind_at_or_past_the_end_changes_nothing(session: InMemorySession, keep: int) -> None:
    await session.append("s", used_tool(), run_id="r", meta={"n": 1})
    assert await session.rewind("s", keep_entries=keep) == 0
    assert await session.segments("s") == [Segment("r", used_tool(), {"n": 1})]


async def test_rewind_between_call_and_result_drops_the_call_too(session: InMemorySession) -> None:
    await session.append("s", used_tool(), run_id="r", meta={"n": 1})
    assert await session.rewind("s", keep_entries=2) == 3
    assert await session.segments("s") == [Segment("r", used_tool()[:1], None)]


async def test_rewind_takes_later_segments_whole_and_leaves_earlier_ones_alone(
    session: InMemorySession,
) -> None:
    for name in "abc":
        await session.append("s", said(name), run_id=name, meta={"n": name})
    assert await session.rewind("s", keep_entries=3) == 3
    assert await session.segments("s") == [
        Segment("a", said("a"), {"n": "a"}),
        Segment("b", said("b")[:1], None),
    ]


async def test_rewind_at_a_border_leaves_the_meta_of_the_last_one(session: InMemorySession) -> None:
    for name in "ab":
        await session.append("s", said(name), run_id=name, meta={"n": name})
    assert await session.rewind("s", keep_entries=2) == 2
    assert await session.segments("s") == [Segment("a", said("a"), {"n": "a"})]


async def test_a_segment_of_which_nothing_is_left_goes(session: InMemorySession) -> None:
    await session.append("s", [ToolCallEntry("c", "f", "{}"), ToolResultEntry("c", "ok")], run_id="r")
    assert await session.rewind("s", keep_entries=1) == 2
    assert await session.segments("s") == []


async def test_a_run_can_be_appended_anew_after_it_was_cut(session: InMemorySession) -> None:
    await session.append("s", said("a"), run_id="r")
    await session.rewind("s", keep_entries=0)
    await session.append("s", said("b"), run_id="r")
    assert await session.load("s") == said("b")


async def test_rewind_takes_the_checkpoints_of_the_runs_that_it_cuts(stores: Stores) -> None:
    session, checkpointer = stores
    for name in "abc":
        head = RunHead(agent_name="a", status="completed", session_id="s")
        await checkpointer.append(name, said(name), head)
        await session.append("s", said(name), run_id=name)
    await checkpointer.append("b2", said("x"), RunHead(agent_name="a", session_id="other"))
    await session.rewind("s", keep_entries=3)
    assert [bool(await checkpointer.load(name)) for name in ("a", "b", "c", "b2")] == [
        True,
        False,
        False,
        True,
    ]


async def test_clear_takes_the_checkpoints_of_the_session(stores: Stores) -> None:
    session, checkpointer = stores
    await checkpointer.append("r", said("a"), RunHead(agent_name="a", session_id="s"))
    await checkpointer.append("t", said("a"), RunHead(agent_name="a", session_id="t"))
    await session.clear("s")
    assert [bool(await checkpointer.load(name)) for name in ("r", "t")] == [False, True]


RUNS: list[list[Entry]] = [
    used_tool(),
    said("a"),
    used_tool() + used_tool(),
    [ToolCallEntry("x", "f", "{}")],
    said("b"),
]


@pytest.mark.parametrize("keep", range(16))
async def test_every_rewind_follows_the_one_rule(session: InMemorySession, keep: int) -> None:
    before = [Segment(f"r{n}", entries, {"n": n}) for n, entries in enumerate(RUNS)]
    for segment in before:
        await session.append("s", segment.entries, run_id=segment.run_id, meta=segment.meta)
    lost = await session.rewind("s", keep_entries=keep)
    left = rewind_segments(before, keep)
    assert await session.segments("s") == left
    assert lost == _count(before) - _count(left)


SEGMENTS = st.lists(
    st.lists(
        st.one_of(
            st.builds(AssistantTextEntry, st.text(max_size=3)),
            st.builds(ToolCallEntry, st.sampled_from("ab"), st.just("f"), st.just("{}")),
            st.builds(ToolResultEntry, st.sampled_from("ab"), st.just("ok")),
        ),
        max_size=8,
    ),
    max_size=5,
).map(lambda runs: [Segment(f"r{n}", drop_dangling_tool_calls(run), {"n": n}) for n, run in enumerate(runs)])


@given(SEGMENTS, st.integers(0, 40))
def test_a_rewind_leaves_a_whole_beginning_of_the_flat_view(segments: list[Segment], keep: int) -> None:
    left = rewind_segments(segments, keep)
    flat, kept = _flat(segments), _flat(left)
    assert kept == flat if keep >= len(flat) else len(kept) <= keep
    assert left[:-1] == segments[: max(0, len(left) - 1)]
    assert drop_dangling_tool_calls(kept) == kept
    texts = [entry for entry in flat[:keep] if isinstance(entry, AssistantTextEntry)]
    assert [entry for entry in kept if isinstance(entry, AssistantTextEntry)] == texts


# --- trim ---


@pytest.mark.parametrize("bad", [{"keep_chars": -1}, {"keep_runs": -1}])
async def test_trim_refuses_negative_numbers(session: InMemorySession, bad: dict[str, int]) -> None:
    with pytest.raises(ValueError):
        await session.trim_tool_results("s", **bad)


async def test_trim_shortens_old_outputs_and_archives_them_first(session: InMemorySession) -> None:
    await session.append("s", used_tool("x" * 5000), run_id="old", meta={"n": 1})
    await session.append("s", used_tool("y" * 5000), run_id="new")
    assert await session.trim_tool_results("s") == 1
    old, new = await session.segments("s")
    output = old.entries[2].output  # type: ignore[union-attr]
    assert output.startswith("x" * 400 + "\n")
    assert "4600 more characters" in output
    assert '"c1"' in output
    assert len(output) < 600
    assert (old.meta, new.entries) == ({"n": 1}, used_tool("y" * 5000))
    assert await session.archived_result("s", "c1") == "x" * 5000


async def test_trim_keeps_the_structure_and_drops_the_copy_of_the_output(session: InMemorySession) -> None:
    entries: list[Entry] = [
        ToolCallEntry("c", "f", "{}"),
        ToolResultEntry("c", "x" * 900, raw=["x" * 900], is_error=True, seconds=1.5),
    ]
    await session.append("s", entries, run_id="r")
    await session.trim_tool_results("s", keep_chars=10, keep_runs=0)
    call, result = await session.load("s")
    assert call == entries[0]
    assert isinstance(result, ToolResultEntry)
    assert (result.call_id, result.raw, result.is_error, result.seconds) == ("c", None, True, 1.5)


async def test_trim_leaves_alone_what_would_not_get_shorter_and_is_idempotent(
    session: InMemorySession,
) -> None:
    await session.append("s", used_tool("x" * 420, "short") + used_tool("x" * 5000, "long"), run_id="r")
    assert await session.trim_tool_results("s", keep_runs=0) == 1
    once = await session.load("s")
    assert once[2] == ToolResultEntry("short", "x" * 420)
    assert await session.trim_tool_results("s", keep_runs=0) == 0
    assert await session.trim_tool_results("s", keep_chars=10, keep_runs=0) == 1
    assert await session.archived_result("s", "long") == "x" * 5000
    assert (await session.load("s"))[6] == once[6]


async def test_a_call_id_may_be_long_and_used_again(session: InMemorySession) -> None:
    name = "c" * 3000
    await session.append("s", used_tool("x" * 5000, name) + used_tool("y" * 5000, name), run_id="r")
    assert await session.trim_tool_results("s", keep_runs=0) == 2
    assert await session.archived_result("s", name) == "y" * 5000
    digests = [archive_digest(ToolResultEntry(name, letter * 5000)) for letter in "xy"]
    found = [await session.archived_result("s", name, digest=digest) for digest in digests]
    assert found == ["x" * 5000, "y" * 5000]


async def test_each_archived_output_is_found_by_what_its_marker_says(session: InMemorySession) -> None:
    outputs = [letter * 5000 for letter in "xyx"]
    for number, output in enumerate(outputs):
        await session.append("s", used_tool(output), run_id=f"r{number}")
    assert await session.trim_tool_results("s", keep_runs=2) == 1
    assert await session.trim_tool_results("s", keep_runs=0) == 2
    short = [entry.output for entry in await session.load("s") if isinstance(entry, ToolResultEntry)]
    marks = [re.search(r'archived under "(.*)", digest ([0-9a-f]+)\]$', output) for output in short]
    found = [await session.archived_result("s", mark[1], digest=mark[2]) for mark in marks if mark]
    assert found == outputs
    assert await session.archived_result("s", "c1", digest="0") is None


async def test_an_output_that_an_older_version_has_shortened_is_left_alone(session: InMemorySession) -> None:
    mark = '\n[… 4600 more characters; recall_tool_result("c1") returns the whole output]'
    await session.append("s", used_tool("x" * 400 + mark), run_id="r")
    assert await session.trim_tool_results("s", keep_chars=10, keep_runs=0) == 0


async def test_an_archived_output_is_found_in_its_own_session_only(session: InMemorySession) -> None:
    await session.append("s", used_tool("x" * 5000), run_id="r")
    await session.trim_tool_results("s", keep_runs=0)
    assert await session.archived_result("t", "c1") is None
    await session.clear("s")
    assert await session.archived_result("s", "c1") is None


def _flat(segments: list[Segment]) -> list[Entry]:
    return [entry for segment in segments for entry in segment.entries]


def _count(segments: list[Segment]) -> int:
    return len(_flat(segments))
