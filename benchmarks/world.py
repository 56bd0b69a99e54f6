"""Users, threads and histories to measure with."""

import itertools
import uuid

from django.contrib.auth.models import User
from django.test import Client

from agents.stores.orm import sessions
from agents.transcript import AssistantTextEntry, Entry, InputEntry, ToolCallEntry, ToolResultEntry
from chatapp.models import Thread

ENTRIES_A_RUN = 5
ANSWER = "A paragraph with **bold** words and `code`.\n\n- one\n- two\n- three\n\n" * 3
numbers = itertools.count()


def make_user() -> User:
    return User.objects.create_user(f"person{next(numbers)}")


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
    return client


def make_thread(owner: User, *, entries: int) -> Thread:
    """With a history of finished runs: question, call, result, answer, reasoning-free."""
    thread = Thread.objects.create(owner=owner, title=f"{entries} entries")
    for number in range(entries // ENTRIES_A_RUN):
        sessions.append_segment(thread.session_id, run_entries(number), meta={"status": "completed"})
    return thread


def run_entries(number: int) -> list[Entry]:
    call_id = f"call{number}"
    return [
        InputEntry(role="user", content=f"Question {number}?"),
        AssistantTextEntry(content="I shall look it up."),
        ToolCallEntry(call_id=call_id, name="lookup", arguments='{"word": "history"}'),
        ToolResultEntry(call_id=call_id, output="A result of some length. " * 10),
        AssistantTextEntry(content=f"{ANSWER}{number}"),
    ]


def make_threads(owner: User, *, count: int) -> None:
    Thread.objects.bulk_create(
        Thread(owner=owner, title=f"Thread {number}", id=uuid.uuid4()) for number in range(count)
    )
