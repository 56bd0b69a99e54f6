"""Pages of a session."""

import pytest

from agents.errors import UserError
from agents.models import Entry as EntryRow
from agents.models import Segment as SegmentRow
from agents.stores.orm import checkpoints, sessions
from agents.stores.orm.sessions import Page
from agents.transcript import AssistantTextEntry, Entry, UnreadableEntry
from tests.agents.orm import HEAD, call, result, start

pytestmark = pytest.mark.django_db

Seen = tuple[str, int]


def fill(*lengths: int) -> list[Seen]:
    """Runs r0, r1, … of these lengths, and what all of their entries are."""
    for number, length in enumerate(lengths):
        entries: list[Entry] = [AssistantTextEntry(f"{number}.{index}") for index in range(length)]
        sessions.append_segment("s", entries, run_id=f"r{number}", meta={"n": number})
    return [(f"r{number}", index) for number, length in enumerate(lengths) for index in range(length)]


def seen(page: Page) -> list[Seen]:
    return [(run.run_id, index) for run in page.runs for index, _ in run.entries]


def all_pages(limit: int) -> list[Page]:
    """From the newest to the oldest."""
    pages = [sessions.page("s", limit=limit)]
    while pages[-1].before is not None:
        pages.append(sessions.page("s", before=pages[-1].before, limit=limit))
    return pages


def test_a_session_that_fits_is_one_page() -> None:
    everything = fill(3, 2)
    page = sessions.page("s", limit=5)
    assert (seen(page), page.before) == (everything, None)
    assert [(run.run_id, run.meta, run.first, run.last) for run in page.runs] == [
        ("r0", {"n": 0}, True, True),
        ("r1", {"n": 1}, True, True),
    ]
    assert page.runs[0].entries[1] == (1, AssistantTextEntry("0.1"))


def test_an_unknown_session_is_an_empty_page() -> None:
    assert sessions.page("nobody") == Page([], None)


def test_the_first_page_is_the_end_of_the_session() -> None:
    everything = fill(4, 4)
    page = sessions.page("s", limit=6)
    assert seen(page) == everything[2:]
    assert [(run.first, run.last) for run in page.runs] == [(False, True), (True, True)]
    older = sessions.page("s", before=page.before, limit=6)
    assert seen(older) == everything[:2]
    assert [(run.first, run.last) for run in older.runs] == [(True, False)]


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 100])
@pytest.mark.parametrize("lengths", [(1,), (10,), (3, 1, 5), (2, 0, 2), (0, 0, 4), (4, 0)])
def test_pages_add_up_to_the_session_without_a_gap_or_a_repeat(lengths: tuple[int, ...], limit: int) -> None:
    everything = fill(*lengths)
    pages = all_pages(limit)
    assert [item for page in reversed(pages) for item in seen(page)] == everything
    assert 0 in lengths or all(len(seen(page)) == limit for page in pages[:-1])
    runs = [run for page in reversed(pages) for run in page.runs]
    assert sum(run.first for run in runs) == sum(run.last for run in runs) == len(lengths)


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_gaps_between_indexes_do_not_confuse_pages(limit: int) -> None:
    fence = start()
    entries: list[Entry] = [call("1"), call("2"), result("2"), call("3"), call("4"), result("4")]
    checkpoints.append("r", fence, entries, HEAD)
    checkpoints.fold("r", fence, tail=[AssistantTextEntry("end")], drop=[1, 4], meta=None)
    pages = all_pages(limit)
    assert [item for page in reversed(pages) for item in seen(page)] == [("r", n) for n in (0, 2, 3, 5, 6, 7)]


def test_a_page_stays_where_it_is_while_the_session_grows() -> None:
    everything = fill(6, 6)
    page = sessions.page("s", limit=4)
    sessions.append_segment("s", [AssistantTextEntry("new")], run_id="new")
    assert seen(sessions.page("s", before=page.before, limit=4)) == everything[4:8]


def test_a_cursor_into_what_was_cut_meanwhile_shows_what_is_left() -> None:
    everything = fill(3, 6)
    page = sessions.page("s", limit=2)
    sessions.rewind("s", 3)
    assert seen(sessions.page("s", before=page.before, limit=10)) == everything[:3]


@pytest.mark.parametrize("cursor", ["", "x", "1", "1.2", "1.2.x", "1.2.3.4"])
def test_what_is_no_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(UserError):
        sessions.page("s", before=cursor)


def test_a_damaged_row_is_named_in_its_place() -> None:
    fill(3)
    row = EntryRow.objects.get(log=SegmentRow.objects.get().log, index=1)
    EntryRow.objects.filter(pk=row.pk).update(data="{")
    (run,) = sessions.page("s").runs
    (_, damaged) = run.entries[1]
    assert isinstance(damaged, UnreadableEntry)
    assert damaged.record == row.pk
    assert [index for index, _ in run.entries] == [0, 1, 2]
