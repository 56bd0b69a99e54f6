"""Reading a thread: its pages, one run, a run in flight, at the same cost at any length."""

from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from agents.stores.orm import checkpoints, sessions
from agents.transcript import AssistantTextEntry, ToolCallEntry, ToolResultEntry
from chatapp.eventlog import record
from chatapp.history import reading, records
from chatapp.history.cursor import BadCursor
from chatapp.history.pages import load_all, load_page, load_turn
from chatapp.history.turns import TextPart, ToolStep
from tests.chatapp.conftest import ask, flight_of

pytestmark = pytest.mark.django_db(transaction=True)


def turn(number):
    return ask(f"Question {number}"), AssistantTextEntry(f"Answer {number}")


def steps(count, start=0):
    """A run of `1 + 2 * count` entries: a message, then calls with their results."""
    pairs: list[Any] = [ask("Go")]
    for number in range(start, start + count):
        pairs += [ToolCallEntry(f"c{number}", "lookup", "{}"), ToolResultEntry(f"c{number}", str(number))]
    return pairs


def turn_of(thread, run_id) -> Any:
    return load_turn(thread, run_id)


def newest_of(page) -> Any:
    return page.turns[-1]


def delta(words, index):
    return {"type": "text_delta", "index": index, "text": words}


def all_pages(thread, **how):
    """Every page from the newest to the oldest."""
    pages = [load_page(thread, **how)]
    while pages[-1].before:
        pages.append(load_page(thread, before=pages[-1].before, **how))
    return pages


def answers(turns):
    return [part.text for turn in turns for part in turn.parts if isinstance(part, TextPart)]


def outputs(turns):
    return [int(part.output) for turn in turns for part in turn.parts if isinstance(part, ToolStep)]


# finished runs


def test_an_empty_thread_has_an_empty_page(thread):
    page = load_page(thread)
    assert (page.turns, page.before, page.run_id, page.after, page.status) == ((), None, None, 0, "idle")


def test_the_newest_turns_come_oldest_first(thread, add_run):
    runs = [add_run(*turn(number)) for number in range(3)]
    page = load_page(thread)
    assert [turn.run_id for turn in page.turns] == runs
    assert [turn.last for turn in page.turns] == [False, False, True]
    assert (page.run_id, page.after, page.status) == (runs[-1], 0, "idle")


def test_pages_hold_every_turn_once(thread, add_run):
    for number in range(25):
        add_run(*turn(number))
    pages = all_pages(thread, limit=10)
    turns = [turn for page in reversed(pages) for turn in page.turns]
    assert answers(turns) == [f"Answer {number}" for number in range(25)]
    assert [turn.last for turn in turns] == [False] * 24 + [True]


def test_a_run_of_moderate_length_is_never_split(thread, add_run):
    add_run(*steps(150))
    add_run(*turn(1))
    (first, last) = load_page(thread, limit=10).turns
    assert (first.starts, first.ends, len(outputs([first]))) == (True, True, 150)
    assert answers([last]) == ["Answer 1"]


def test_a_very_long_run_is_split_between_a_result_and_the_next_call(thread, add_run):
    add_run(*steps(500), status="stopped")
    pages = all_pages(thread, limit=101)  # counted from the end, a page begins with a result
    pieces = [turn for page in reversed(pages) for turn in page.turns]
    assert len(pieces) > 2
    assert outputs(pieces) == list(range(500))
    assert [piece.starts for piece in pieces] == [True] + [False] * (len(pieces) - 1)
    assert [piece.ends for piece in pieces] == [False] * (len(pieces) - 1) + [True]
    assert len({piece.key for piece in pieces}) == len(pieces)
    assert pieces[-1].finished_at is not None
    assert pieces[0].message is not None


@pytest.mark.parametrize(
    "cursor",
    ["x", "1.2", "-1.0.0", "1.-5.-3", "9" * 30 + ".1.1", "3@", "@run", "x@run", "3@gone", "3@a\x00b"],
)
def test_a_cursor_that_was_never_given_out_is_refused(thread, add_run, cursor):
    add_run(*turn(1))
    with pytest.raises(BadCursor):
        load_page(thread, before=cursor)


def test_a_cursor_shows_nothing_of_another_thread(thread, make_thread, add_run):
    other = make_thread()
    for number in range(5):
        add_run(*turn(number), to=other)
    add_run(*turn(9))
    cursor = load_page(other, limit=2).before
    assert all(text == "Answer 9" for text in answers(load_page(thread, before=cursor).turns))


def test_one_turn_by_its_run(thread, add_run):
    runs = [add_run(*turn(number)) for number in range(3)]
    turns = [turn_of(thread, run_id) for run_id in runs]
    assert answers(turns) == ["Answer 0", "Answer 1", "Answer 2"]
    assert [turn.last for turn in turns] == [False, False, True]
    assert all(turn.starts and turn.ends for turn in turns)
    assert load_turn(thread, "gone") is None


def test_the_end_of_one_very_long_turn(thread, add_run):
    run_id = add_run(*steps(500), status="stopped")
    add_run(*turn(1))
    found = turn_of(thread, run_id)
    assert (found.starts, found.ends, found.state) == (False, True, "stopped")
    assert outputs([found])[-1] == 499


def test_a_turn_that_is_cut_while_it_is_looked_for_is_not_there(thread, add_run, monkeypatch):
    run_id, cursor_at = add_run(*turn(1)), sessions.cursor_at

    def cut_behind_it(*place):
        cursor = cursor_at(*place)
        sessions.cut(thread.session_id, run_id, 0)
        return cursor

    monkeypatch.setattr(sessions, "cursor_at", cut_behind_it)
    assert load_turn(thread, run_id) is None


def test_all_turns_for_an_export(thread, add_run, add_flight):
    for number in range(3):
        add_run(*turn(number))
    add_run(*steps(500))
    add_flight(ask("Now"))
    turns = load_all(thread)
    assert [turn.state for turn in turns] == ["completed"] * 4 + ["interrupted_open"]
    assert outputs(turns) == list(range(500))


# a run in flight


def test_a_live_run_is_the_last_turn_with_its_partial_text(thread, add_run, add_flight):
    add_run(*turn(1))
    run_id = add_flight(ask("Now"), frames=[delta("So ", 1), delta("far", 1)], live=True)
    page = load_page(thread)
    assert answers(page.turns) == ["Answer 1", "So far"]
    assert (page.run_id, page.after, page.status) == (run_id, 3, "running")
    assert (page.turns[-1].state, page.turns[-1].last, page.turns[0].last) == ("running", True, False)
    assert load_turn(thread, run_id) == page.turns[-1]


def test_an_interrupted_run_offers_what_can_be_done(thread, add_flight):
    add_flight(ask("Now"), ToolCallEntry("c1", "pay", "{}"), started_calls=["c1"])
    page = load_page(thread)
    assert page.status == "interrupted"
    assert newest_of(page).recover.started_unrepeatable == ("pay",)


def test_a_failed_run_has_its_reason(thread, add_flight):
    add_flight(ask("Now"), error={"type": "ProviderError", "message": "No quota."})
    page = load_page(thread)
    assert (page.status, newest_of(page).error["message"]) == ("failed", "No quota.")


def test_a_long_run_in_flight_leaves_older_ones_to_another_page(thread, add_run, add_flight):
    add_run(*turn(1))
    add_flight(*steps(100), live=True)
    page = load_page(thread)
    assert (len(page.turns), page.before) == (1, "newest")
    older = load_page(thread, before=page.before)
    assert (answers(older.turns), older.before) == (["Answer 1"], None)


def test_a_very_long_run_in_flight_is_split_too(thread, add_run, add_flight):
    add_run(*turn(1))
    add_flight(*steps(500), AssistantTextEntry("Done."), live=True)
    pages = all_pages(thread)  # counted from the end, a page begins with a result
    turns = [turn for page in reversed(pages) for turn in page.turns]
    assert outputs(turns) == list(range(500))
    assert answers(turns) == ["Answer 1", "Done."]
    assert [turn.ends for turn in turns if turn.state == "running"] == [False, False, True]


def test_its_cursor_is_good_when_the_run_has_ended_meanwhile(thread, add_flight):
    run_id = add_flight(*steps(600), live=True)
    newest = load_page(thread)
    checkpoints.fold(run_id, 1, tail=[], drop=[], meta={"status": "stopped"})
    pages = [load_page(thread, before=newest.before, limit=400)]
    while pages[-1].before:
        pages.append(load_page(thread, before=pages[-1].before, limit=400))
    pieces = [turn for page in [*reversed(pages), newest] for turn in page.turns]
    assert outputs(pieces) == list(range(600))


def parallel(turns: int, calls: int):
    """A run of turns that call so many tools at once, each of which gives its number."""
    entries: list[Any] = [ask()]
    for turn_number in range(turns):
        numbers = range(turn_number * calls, (turn_number + 1) * calls)
        entries += [ToolCallEntry(f"c{number}", "lookup", "{}") for number in numbers]
        entries += [ToolResultEntry(f"c{number}", str(number)) for number in numbers]
    return entries


@pytest.mark.parametrize("calls", [8, 17, 33, 128, 300])
@pytest.mark.parametrize("is_live", [False, True])
def test_parallel_calls_stay_with_their_results(thread, add_run, add_flight, calls, is_live):
    turns = 900 // (2 * calls) + 1
    entries = parallel(turns, calls)
    if is_live:
        add_flight(*entries, AssistantTextEntry("Done."), live=True)
    else:
        add_run(*entries, AssistantTextEntry("Done."))
    pieces = [piece for page in reversed(all_pages(thread)) for piece in page.turns]
    assert all(piece.parts or piece.message for piece in pieces)
    assert outputs(pieces) == list(range(turns * calls))


# never torn


@pytest.fixture
def meanwhile(monkeypatch):
    """Lets something happen once, right after the checkpoint was read for a page."""

    def arrange(happen):
        events = [happen]
        read = reading.read_flight

        def read_then(*args, **kwargs):
            if events:
                events.pop()()
            return read(*args, **kwargs)

        monkeypatch.setattr(records, "read_flight", read_then)

    return arrange


def test_a_run_that_ends_meanwhile_is_shown_once_and_ended(thread, add_flight, meanwhile):
    run_id = add_flight(ask("Now"), frames=[delta("So far", 1)], live=True)

    def end():
        record(thread.id, run_id, [{"type": "run_finished", "status": "completed"}], stored=1)
        tail = [AssistantTextEntry("So far, so good.")]
        checkpoints.fold(run_id, 1, tail=tail, drop=[], meta={"status": "completed"})

    meanwhile(end)
    page = load_page(thread)
    assert [(turn.run_id, turn.state) for turn in page.turns] == [(run_id, "completed")]
    assert (answers(page.turns), page.status, page.after) == (["So far, so good."], "idle", 3)


def test_a_run_that_is_picked_up_meanwhile_is_shown_running(thread, add_flight, meanwhile):
    run_id = add_flight(ask("Now"))
    meanwhile(lambda: checkpoints.claim(run_id, owner="elsewhere:2:y"))
    assert load_page(thread).status == "running"


def test_text_that_is_stored_meanwhile_is_shown_once(thread, add_flight, meanwhile):
    run_id = add_flight(ask("Now"), frames=[delta("So far", 1)], live=True)
    run = flight_of(thread)

    def store():
        record(thread.id, run_id, [delta("", 1)], stored=1)
        checkpoints.append(run_id, 1, [AssistantTextEntry("So far")], run.head)

    meanwhile(store)
    page = load_page(thread)
    assert (answers(page.turns), page.after) == (["So far"], 3)


# cost


def cost(thread):
    """How many queries a page takes."""
    with CaptureQueriesContext(connection) as queries:
        load_page(thread)
    return len(queries)


@pytest.mark.parametrize("run_in_flight", [False, True])
def test_a_thread_of_5000_entries_costs_as_much_as_one_of_10(make_thread, add_run, add_flight, run_in_flight):
    short, long = make_thread(), make_thread()
    for thread, size in ((short, 5), (long, 2_500)):
        with transaction.atomic():  # one commit, not thousands
            for number in range(size):
                add_run(*turn(number), to=thread)
        if run_in_flight:
            add_flight(ask("Now"), to=thread, live=True)
    assert cost(long) == cost(short) <= 10
    assert sum(len(run.entries) for run in records.load_records(long).runs) <= records.PAGE + 1


def test_a_run_in_flight_costs_the_same_at_any_length(make_thread, add_flight):
    short, long = make_thread(), make_thread()
    add_flight(*steps(2), to=short, live=True)
    add_flight(*steps(2_500), to=long, live=True)
    assert cost(long) <= cost(short) <= 10
    assert sum(len(run.entries) for run in records.load_records(long).runs) <= records.WHOLE
