"""Search in the titles of the user's other threads, and in what was said there. At a bounded cost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agents import RunContext, tool
from chatapp.tools.deps import Deps, deps_of, own_connection
from chatapp.tools.matching import words_of

if TYPE_CHECKING:
    from agents.stores.orm.search import FoundText
    from chatapp.models import Thread

MAX_THREADS = 300
MAX_SHOWN = 10
SNIPPETS = 2
SNIPPET_LENGTH = 160
SPEAKERS = {"input": "User", "assistant_text": "Assistant"}


@dataclass(frozen=True, slots=True)
class Hit:
    thread: Thread
    words: frozenset[str]
    texts: list[FoundText] = field(default_factory=list)


@tool(repeatable=True)
def search_threads(ctx: RunContext, query: str) -> str:
    """Search the user's other chats, their titles and what was said in them.

    Those that contain all of the words; if there is none, those that contain the most of them.

    Args:
        query: Words, in any order and case; parts of words are found too.
    """
    with own_connection():
        return found(deps_of(ctx), query)


def found(deps: Deps, query: str) -> str:
    words = words_of(query)
    return described(deps, best(hits_of(deps, words)), words)


def hits_of(deps: Deps, words: list[str]) -> list[Hit]:
    """Three queries, whatever is stored: threads, their newest runs, the entries with one of the words."""
    from agents.stores.orm.search import find_text

    threads = threads_of(deps)
    texts: defaultdict[str, list[FoundText]] = defaultdict(list)
    for found in find_text([thread.session_id for thread in threads], words):
        texts[found.session_id].append(found)
    hits = [hit_of(thread, texts[thread.session_id], words) for thread in threads]
    return [hit for hit in hits if hit.words]


def threads_of(deps: Deps) -> list[Thread]:
    """The user's newest ones, without the one that asks: the model has that before it."""
    from chatapp.models import Thread

    own = Thread.objects.filter(owner_id=deps.user_id).exclude(pk=deps.thread_id)
    return list(own.order_by("-updated_at", "-id")[:MAX_THREADS])


def hit_of(thread: Thread, texts: list[FoundText], words: list[str]) -> Hit:
    said = [text.text.lower() for text in texts]
    title = thread.title.lower()
    present = frozenset(word for word in words if word in title or any(word in text for text in said))
    return Hit(thread, present, texts)


def best(hits: Iterable[Hit]) -> list[Hit]:
    hits = list(hits)
    most = max((len(hit.words) for hit in hits), default=0)
    return [hit for hit in hits if len(hit.words) == most]


def described(deps: Deps, hits: list[Hit], words: list[str]) -> str:
    """`3 threads`, then for each `2026-11-24 · title · /threads/<id>/` and indented lines of text."""
    lines = [f"{len(hits)} thread" if len(hits) == 1 else f"{len(hits) or 'No'} threads"]
    for hit in hits[:MAX_SHOWN]:
        title = " ".join(hit.thread.title.split()) or "Untitled"
        lines.append(f"{deps.local(hit.thread.updated_at):%Y-%m-%d} · {title} · /threads/{hit.thread.pk}/")
        lines += [f"  {SPEAKERS[text.type]}: {snippet(text.text, words)}" for text in hit.texts[:SNIPPETS]]
    if len(hits) > MAX_SHOWN:
        lines.append(f"… and {len(hits) - MAX_SHOWN} older ones")
    return "\n".join(lines)


def snippet(text: str, words: Iterable[str]) -> str:
    """One line around the first place where one of the words stands."""
    line = " ".join(text.split())
    lower = line.lower()
    places = [place for word in words if (place := lower.find(word)) >= 0]
    start = max(0, min(places, default=0) - SNIPPET_LENGTH // 3)
    end = start + SNIPPET_LENGTH
    return f"{'…' if start else ''}{line[start:end].strip()}{'…' if end < len(line) else ''}"
