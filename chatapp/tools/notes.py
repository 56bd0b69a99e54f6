"""Notes that the assistant keeps for the user: add, list, search, delete. Only ever the user's own rows."""

from __future__ import annotations

from functools import reduce
from hashlib import sha256
from operator import and_, or_
from typing import TYPE_CHECKING

from agents import RunContext, tool
from agents.errors import ToolError
from chatapp.tools.deps import Deps, deps_of, own_connection
from chatapp.tools.matching import contains, words_of

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from chatapp.models import Note

MAX_TEXT = 4_000
MAX_NOTES = 1_000
MAX_SHOWN = 50


@tool(repeatable=True)
def add_note(ctx: RunContext, text: str) -> str:
    """Keep a note for the user, to be found in every chat of theirs.

    Args:
        text: What to keep, as plain text.
    """
    with own_connection():
        return keep(deps_of(ctx), text.strip(), call=ctx.idempotency_key)


@tool(repeatable=True)
def list_notes(ctx: RunContext) -> str:
    """List the user's notes with their numbers, the newest first."""
    with own_connection():
        return listed(deps_of(ctx))


@tool(repeatable=True)
def search_notes(ctx: RunContext, query: str) -> str:
    """Find the user's notes that contain all of the words; if there is none, those that contain any of them.

    Args:
        query: Words, in any order and case; parts of words are found too.
    """
    with own_connection():
        return found(deps_of(ctx), query)


@tool
def delete_note(ctx: RunContext, note_id: int) -> str:
    """Delete one of the user's notes for good.

    Args:
        note_id: The number that list_notes or search_notes showed.
    """
    with own_connection():
        return deleted(deps_of(ctx), note_id)


def notes_of(deps: Deps) -> QuerySet[Note]:
    from chatapp.models import Note

    return Note.objects.filter(owner_id=deps.user_id)


def keep(deps: Deps, text: str, *, call: str) -> str:
    """A call that runs again after a crash finds the note that it wrote, and writes no second one."""
    from chatapp.models import Note

    if not text:
        raise ToolError("The note is empty.")
    if len(text) > MAX_TEXT:
        raise ToolError(f"The note has {len(text):,} characters; {MAX_TEXT:,} are allowed.")
    if notes_of(deps).count() >= MAX_NOTES:
        raise ToolError(f"There are {MAX_NOTES:,} notes already. Delete some first.")
    key = sha256(call.encode()).hexdigest()
    note, _ = Note.objects.get_or_create(owner_id=deps.user_id, call_key=key, defaults={"text": text})
    return f"Note {note.pk} is kept."


def listed(deps: Deps) -> str:
    return described(deps, notes_of(deps))


def found(deps: Deps, query: str) -> str:
    notes, matches = notes_of(deps), [contains("text", word) for word in words_of(query)]
    every = notes.filter(reduce(and_, matches))
    return described(deps, every if every.exists() else notes.filter(reduce(or_, matches)))


def deleted(deps: Deps, note_id: int) -> str:
    note = notes_of(deps).filter(pk=note_id).first()
    if note is None:
        raise ToolError(f"There is no note {note_id}.")
    note.delete()
    return f"Note {note_id} is deleted: {first_line(note.text)}"


def described(deps: Deps, notes: QuerySet[Note]) -> str:
    """`2 notes`, then `#12 · 2026-11-24 · text` for each, further lines of a text indented by two spaces."""
    count = notes.count()
    lines = [f"{count} note" if count == 1 else f"{count or 'No'} notes"]
    for note in notes.order_by("-pk")[:MAX_SHOWN]:
        text = note.text.replace("\n", "\n  ")
        lines.append(f"#{note.pk} · {deps.local(note.created_at):%Y-%m-%d} · {text}")
    if count > MAX_SHOWN:
        lines.append(f"… and {count - MAX_SHOWN} older ones")
    return "\n".join(lines)


def first_line(text: str) -> str:
    return text.splitlines()[0][:200]
