"""Users, threads and histories to measure with. `python -m benchmarks.world` makes them and tells of them."""

from __future__ import annotations

import itertools
import json
import os
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.test import Client

    from agents.transcript import Entry
    from chatapp.models import Thread

PEOPLE = 100
LONG = (10, 1_000, 2_000, 5_000, 10_000)
LISTED = (10, 1_000, 10_000)
ENTRIES_A_RUN = 5
ANSWER = "A paragraph with **bold** words and `code`.\n\n- one\n- two\n- three\n\n" * 3
numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class Seat:
    """Who is logged in, and a thread of theirs."""

    cookie: str
    thread: str


@dataclass(frozen=True, slots=True)
class World:
    """`people`: with an empty thread each. `long`: with a thread of that many entries. `lists`: with
    that many threads."""

    people: list[Seat]
    long: dict[int, Seat]
    lists: dict[int, Seat]

    @classmethod
    def read(cls, line: str) -> World:
        data = json.loads(line)
        return cls(
            people=[Seat(**seat) for seat in data["people"]],
            long={int(entries): Seat(**seat) for entries, seat in data["long"].items()},
            lists={int(threads): Seat(**seat) for threads, seat in data["lists"].items()},
        )


def make_world() -> dict[str, Any]:
    return {
        "people": [make_seat(entries=0) for _ in range(PEOPLE)],
        "long": {entries: make_seat(entries=entries) for entries in LONG},
        "lists": {threads: make_list(threads) for threads in LISTED},
    }


def make_seat(*, entries: int) -> dict[str, str]:
    user = make_user()
    return {"cookie": cookie_of(user), "thread": str(make_thread(user, entries=entries).id)}


def make_list(threads: int) -> dict[str, str]:
    user = make_user()
    make_threads(user, count=threads - 1)
    return {"cookie": cookie_of(user), "thread": str(make_thread(user, entries=0).id)}


def make_user() -> User:
    from django.contrib.auth.models import User

    return User.objects.create_user(f"person{next(numbers)}")


def client_of(user: User) -> Client:
    from django.test import Client

    client = Client()
    client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
    return client


def cookie_of(user: User) -> str:
    return f"sessionid={client_of(user).cookies['sessionid'].value}"


def make_thread(owner: User, *, entries: int) -> Thread:
    """With a history of finished runs: question, remark, call, result, answer."""
    from agents.stores.orm import sessions
    from chatapp.assistants import default_assistant
    from chatapp.models import Thread

    title, assistant = f"{entries} entries", default_assistant().name
    thread = Thread.objects.create(owner=owner, title=title, assistant=assistant)
    for number in range(entries // ENTRIES_A_RUN):
        sessions.append_segment(thread.session_id, run_entries(number), meta={"status": "completed"})
    return thread


def run_entries(number: int) -> list[Entry]:
    from agents.transcript import AssistantTextEntry, InputEntry, ToolCallEntry, ToolResultEntry

    call_id = f"call{number}"
    return [
        InputEntry(role="user", content=f"Question {number}?"),
        AssistantTextEntry(content="I shall look it up."),
        ToolCallEntry(call_id=call_id, name="lookup", arguments='{"word": "history"}'),
        ToolResultEntry(call_id=call_id, output="A result of some length. " * 10),
        AssistantTextEntry(content=f"{ANSWER}{number}"),
    ]


def make_threads(owner: User, *, count: int) -> None:
    from chatapp.models import Thread

    Thread.objects.bulk_create(
        Thread(owner=owner, title=f"Thread {number}", id=uuid.uuid4()) for number in range(count)
    )


def set_up() -> None:
    """Django, on a database with all of its tables."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "chatapp.settings"
    import django

    django.setup()
    from chatapp.prepare import prepare

    prepare()


if __name__ == "__main__":
    set_up()
    print(json.dumps(make_world()), flush=True)
