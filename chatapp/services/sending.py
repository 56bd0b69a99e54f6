"""Send: the user's message is durable before anything else happens."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import IntegrityError

from agents.stores.orm.transactions import writing
from chatapp.assistants import default_assistant, get_assistant
from chatapp.lifecycle import start
from chatapp.lifecycle.content import Content
from chatapp.models import Thread
from chatapp.services.commands import (
    clear_the_way,
    command,
    execute_later,
    receipt_for,
    tell_sidebar,
    write_receipt,
)
from chatapp.services.text import message_text, title_of

BUSY = "An answer is being written in this chat."
BUSY_HINT = "Wait for the answer, or stop it. Your text stays in the box."


def new_thread(owner: Any, text: str, *, client_id: UUID | None = None, assistant: str = "") -> Thread:
    """A thread with its first message and the run that answers it; the same for the same client_id."""
    text = message_text(text)
    if known := receipt_for(owner.pk, client_id):
        return known.thread
    agent = get_assistant(assistant) if assistant else default_assistant()
    thread = Thread(owner=owner, title=title_of(text), assistant=agent.name)
    try:
        with writing():
            thread.save(force_insert=True)
            run_content(thread, text, name="new", client_id=client_id)
    except IntegrityError:
        if known := receipt_for(owner.pk, client_id):
            return known.thread
        raise
    return thread


def send(thread: Thread, text: str, *, client_id: UUID | None = None) -> str:
    """Starts a run with the message. → its run_id. Folds an interrupted or failed run, never erases it.

    Refused while a run is live. A client_id that was seen before changes nothing.
    """
    if known := receipt_for(thread.owner_id, client_id):
        return known.run_id
    text = message_text(text)
    with command(thread) as locked:
        if known := receipt_for(locked.owner_id, client_id):
            return known.run_id
        clear_the_way(locked, refusal=BUSY, hint=BUSY_HINT)
        return run_content(locked, text, name="send", client_id=client_id)


def run_content(thread: Thread, content: Content, *, name: str, client_id: UUID | None) -> str:
    """Starts a run with this content in the caller's transaction, and writes the receipt. → run_id"""
    job, frames = start(thread, content)
    write_receipt(thread, client_id, name=name, run_id=job.run_id)
    execute_later(job, thread, frames)
    tell_sidebar(thread)
    return job.run_id
