"""The notes tools: each user's own rows, and nothing but these."""

from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from agents import RunContext
from agents.errors import ToolError
from agents.tools.base import Tool
from chatapp.models import Note
from chatapp.tools import Deps, add_note, delete_note, list_notes, search_notes
from chatapp.tools.notes import MAX_NOTES, MAX_SHOWN, MAX_TEXT

# A tool runs in a thread and with a connection of its own.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ctx(user: User) -> RunContext:
    return context(user)


def context(user: User, *, call_id: str = "call", time_zone: str = "") -> RunContext:
    deps = Deps(user_id=user.pk, thread_id=uuid4(), time_zone=time_zone)
    return RunContext("run", call_id, deps=deps)


async def use(tool: Tool, ctx: RunContext, **arguments: Any) -> str:
    return str(await tool.invoke(ctx, arguments))


async def note(user: User, text: str) -> Note:
    return await Note.objects.acreate(owner=user, text=text)


async def test_a_note_is_kept_for_its_user(ctx: RunContext, user: User) -> None:
    answer = await use(add_note, ctx, text="  buy milk ")
    stored = await Note.objects.aget()
    assert (stored.text, stored.owner_id) == ("buy milk", user.pk)
    assert answer == f"Note {stored.pk} is kept."


async def test_a_call_that_runs_again_keeps_no_second_note(ctx: RunContext, user: User) -> None:
    first = await use(add_note, ctx, text="buy milk")
    assert await use(add_note, ctx, text="buy milk") == first
    assert await use(add_note, context(user, call_id="other"), text="buy milk") != first
    assert await Note.objects.acount() == 2


@pytest.mark.parametrize("text", ["", " \n ", "x" * (MAX_TEXT + 1)])
async def test_what_is_no_note_is_refused(ctx: RunContext, text: str) -> None:
    with pytest.raises(ToolError):
        await use(add_note, ctx, text=text)
    assert not await Note.objects.aexists()


async def test_there_is_a_limit(ctx: RunContext, user: User) -> None:
    await Note.objects.abulk_create([Note(owner=user, text="x") for _ in range(MAX_NOTES)])
    with pytest.raises(ToolError, match="already"):
        await use(add_note, ctx, text="one more")
    lines = (await use(list_notes, ctx)).splitlines()
    assert lines[0] == f"{MAX_NOTES} notes"
    assert lines[-1] == f"… and {MAX_NOTES - MAX_SHOWN} older ones"


async def test_notes_are_listed_the_newest_first(ctx: RunContext, user: User) -> None:
    assert await use(list_notes, ctx) == "No notes"
    one = await note(user, "one\nmore of it")
    two = await note(user, "two")
    day = f"{two.created_at:%Y-%m-%d}"
    assert (
        await use(list_notes, ctx)
        == f"2 notes\n#{two.pk} · {day} · two\n#{one.pk} · {day} · one\n  more of it"
    )


async def test_days_are_those_of_the_user(user: User) -> None:
    from datetime import UTC, datetime

    kept = await note(user, "late")
    await Note.objects.filter(pk=kept.pk).aupdate(created_at=datetime(2026, 1, 12, 20, tzinfo=UTC))
    assert "2026-01-13" in await use(list_notes, context(user, time_zone="Asia/Tokyo"))
    assert "2026-01-12" in await use(list_notes, context(user))


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
async def test_all_words_are_looked_for_then_any(
    ctx: RunContext, user: User, query: str, texts: list[str]
) -> None:
    for text in (
        "46 boxes of Paper",
        "paper plates",
        "Dorn & SÖHNE",
        "警报密码",
        "100% sure",
        "C++ book",
        "foo_bar",
    ):
        await note(user, text)
    lines = (await use(search_notes, ctx, query=query)).splitlines()
    assert sorted(line.split(" · ")[2] for line in lines[1:]) == sorted(texts)


async def test_an_empty_search_says_so(ctx: RunContext) -> None:
    with pytest.raises(ToolError):
        await use(search_notes, ctx, query="  ")


async def test_a_note_is_deleted_once(ctx: RunContext, user: User) -> None:
    kept = await note(user, "buy milk\nand bread")
    assert await use(delete_note, ctx, note_id=kept.pk) == f"Note {kept.pk} is deleted: buy milk"
    with pytest.raises(ToolError, match=f"There is no note {kept.pk}"):
        await use(delete_note, ctx, note_id=kept.pk)


async def test_the_number_of_a_deleted_note_is_not_given_again(ctx: RunContext, user: User) -> None:
    kept = await note(user, "first")
    await use(delete_note, ctx, note_id=kept.pk)
    assert await use(add_note, ctx, text="second") != f"Note {kept.pk} is kept."


async def test_another_users_notes_are_not_there(ctx: RunContext, stranger: User) -> None:
    theirs = await note(stranger, "secret")
    assert await use(list_notes, ctx) == "No notes"
    assert await use(search_notes, ctx, query="secret") == "No notes"
    with pytest.raises(ToolError):
        await use(delete_note, ctx, note_id=theirs.pk)
    assert await Note.objects.filter(pk=theirs.pk).aexists()


@pytest.mark.parametrize("tool", [list_notes, search_notes, delete_note, add_note])
async def test_without_a_user_no_note_is_touched(tool: Tool, user: User) -> None:
    arguments: dict[str, dict[str, Any]] = {
        "search_notes": {"query": "x"},
        "delete_note": {"note_id": 1},
        "add_note": {"text": "x"},
    }
    with pytest.raises(TypeError):
        await tool.invoke(RunContext("run", "call", deps={"user_id": user.pk}), arguments.get(tool.name, {}))


def test_only_the_delete_must_not_be_repeated() -> None:
    assert [tool.repeatable for tool in (add_note, list_notes, search_notes)] == [True] * 3
    assert not delete_note.repeatable
