"""The notes tools: each user's own rows, and nothing but these."""

import asyncio
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from agents import RunContext
from agents.errors import ToolError
from agents.tools.base import Tool
from chatapp.models import Note
from chatapp.tools import Deps, add_note, delete_note, list_notes, search_notes
from chatapp.tools.notes import MAX_NOTES, MAX_SHOWN, MAX_TEXT, deleted, found, keep, listed

pytestmark = pytest.mark.django_db


@pytest.fixture
def deps(user: User) -> Deps:
    return Deps(user_id=user.pk, thread_id=uuid4())


def note(user: User, text: str) -> Note:
    return Note.objects.create(owner=user, text=text)


def test_a_note_is_kept_for_its_user(deps: Deps) -> None:
    answer = keep(deps, "buy milk", call="run:call")
    stored = Note.objects.get()
    assert (stored.text, stored.owner_id) == ("buy milk", deps.user_id)
    assert answer == f"Note {stored.pk} is kept."


def test_a_call_that_runs_again_keeps_no_second_note(deps: Deps) -> None:
    first = keep(deps, "buy milk", call="run:call")
    assert keep(deps, "buy milk", call="run:call") == first
    assert keep(deps, "buy milk", call="run:other") != first
    assert Note.objects.count() == 2


def test_the_same_call_of_two_users_keeps_a_note_for_each(deps: Deps, stranger: User) -> None:
    keep(deps, "mine", call="run:call")
    keep(Deps(stranger.pk, uuid4()), "theirs", call="run:call")
    assert Note.objects.count() == 2


@pytest.mark.parametrize("text", ["", "x" * (MAX_TEXT + 1)])
def test_what_is_no_note_is_refused(deps: Deps, text: str) -> None:
    with pytest.raises(ToolError):
        keep(deps, text, call="run:call")
    assert not Note.objects.exists()


def test_there_is_a_limit(deps: Deps, user: User) -> None:
    Note.objects.bulk_create([Note(owner=user, text="x") for _ in range(MAX_NOTES)])
    with pytest.raises(ToolError, match="already"):
        keep(deps, "one more", call="run:call")
    lines = listed(deps).splitlines()
    assert lines[0] == f"{MAX_NOTES} notes"
    assert lines[-1] == f"… and {MAX_NOTES - MAX_SHOWN} older ones"


def test_notes_are_listed_the_newest_first(deps: Deps, user: User) -> None:
    assert listed(deps) == "No notes"
    one, two = note(user, "one\nmore of it"), note(user, "two")
    day = f"{two.created_at:%Y-%m-%d}"
    assert listed(deps) == f"2 notes\n#{two.pk} · {day} · two\n#{one.pk} · {day} · one\n  more of it"


def test_days_are_those_of_the_user(deps: Deps, user: User) -> None:
    kept = note(user, "late")
    Note.objects.filter(pk=kept.pk).update(created_at=datetime(2026, 1, 12, 20, tzinfo=UTC))
    assert "2026-01-12" in listed(deps)
    assert "2026-01-13" in listed(Deps(user.pk, uuid4(), time_zone="Asia/Tokyo"))


@pytest.mark.parametrize(
    "query, texts",
    [
        ("paper", ["46 boxes of Paper", "paper plates"]),
        ("paper BOXES", ["46 boxes of Paper"]),
        ("paper banana", ["46 boxes of Paper", "paper plates"]),
        ("söhne", ["Dorn & SÖHNE"]),
        ("警报", ["警报密码"]),
        ("100%", ["100% sure"]),
        ("c++", ["C++ book"]),
        ("foo_bar", ["foo_bar"]),
        ("100_", []),
        ("banana", []),
    ],
)
def test_all_words_are_looked_for_then_any(deps: Deps, user: User, query: str, texts: list[str]) -> None:
    for text in (
        "46 boxes of Paper",
        "paper plates",
        "Dorn & SÖHNE",
        "警报密码",
        "100% sure",
        "C++ book",
        "foo_bar",
    ):
        note(user, text)
    lines = found(deps, query).splitlines()
    assert sorted(line.split(" · ")[2] for line in lines[1:]) == sorted(texts)


def test_an_empty_search_says_so(deps: Deps) -> None:
    with pytest.raises(ToolError):
        found(deps, "  ")


def test_a_note_is_deleted_once(deps: Deps, user: User) -> None:
    kept = note(user, "buy milk\nand bread")
    assert deleted(deps, kept.pk) == f"Note {kept.pk} is deleted: buy milk"
    with pytest.raises(ToolError, match=f"There is no note {kept.pk}"):
        deleted(deps, kept.pk)


def test_the_number_of_a_deleted_note_is_not_given_again(deps: Deps, user: User) -> None:
    kept = note(user, "first")
    deleted(deps, kept.pk)
    assert keep(deps, "second", call="run:call") != f"Note {kept.pk} is kept."


def test_another_users_notes_are_not_there(deps: Deps, stranger: User) -> None:
    theirs = note(stranger, "secret")
    assert listed(deps) == found(deps, "secret") == "No notes"
    with pytest.raises(ToolError):
        deleted(deps, theirs.pk)
    assert Note.objects.filter(pk=theirs.pk).exists()


# A tool runs in a thread and with a connection of its own.
@pytest.mark.django_db(transaction=True)
def test_the_tools_do_this_for_the_user_of_the_run(deps: Deps) -> None:
    ctx = RunContext("run", "call", deps=deps)

    def use(tool: Tool, **arguments: Any) -> str:
        return str(asyncio.run(tool.invoke(ctx, arguments)))  # type: ignore[arg-type]

    assert use(add_note, text="  buy milk ") == use(add_note, text="again")
    kept = Note.objects.get()
    line = f"1 note\n#{kept.pk} · {kept.created_at:%Y-%m-%d} · buy milk"
    assert use(list_notes) == use(search_notes, query="MILK") == line
    assert use(delete_note, note_id=kept.pk) == f"Note {kept.pk} is deleted: buy milk"


@pytest.mark.parametrize("tool", [list_notes, search_notes, delete_note, add_note])
async def test_without_a_user_no_note_is_touched(tool: Tool) -> None:
    arguments: dict[str, dict[str, Any]] = {
        "search_notes": {"query": "x"},
        "delete_note": {"note_id": 1},
        "add_note": {"text": "x"},
    }
    with pytest.raises(TypeError):
        await tool.invoke(RunContext("run", "call", deps={"user_id": 1}), arguments.get(tool.name, {}))


def test_only_the_delete_must_not_be_repeated() -> None:
    assert [tool.repeatable for tool in (add_note, list_notes, search_notes)] == [True] * 3
    assert not delete_note.repeatable
