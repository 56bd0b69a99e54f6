"""Send: the user's message is durable before anything else happens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from agents.stores.orm import checkpoints
from agents.stores.orm.transactions import writing
from chatapp import executor
from chatapp.assistants import default_assistant, get_assistant
from chatapp.lifecycle import start
from chatapp.lifecycle.content import Content, text_of
from chatapp.lifecycle.queue import enqueue, hold, tell_queue
from chatapp.lifecycle.room import has_room
from chatapp.models import QueuedMessage, Receipt, Thread
from chatapp.models.by_hand import has_queue
from chatapp.services.commands import (
    command,
    fold_orphan,
    receipt_for,
    receipt_in,
    tell_sidebar,
    used_elsewhere,
    write_receipt,
)
from chatapp.services.errors import Refused
from chatapp.services.queueing import require_room_in_queue, start_waiting
from chatapp.services.text import message_text, title_of


@dataclass(frozen=True, slots=True)
class Sent:
    """`run_id` is the run that answers the message; `queued`: it has not started yet."""

    run_id: str
    queued: bool


def new_thread(owner: Any, text: str, *, client_id: UUID | None = None, assistant: str = "") -> Thread:
    """A thread with its first message and the run that answers it; the same for the same client_id."""
    if known := receipt_for(owner.pk, client_id):
        return made_before(known)
    text = message_text(text)
    agent = get_assistant(assistant) if assistant else default_assistant()
    thread = Thread(owner=owner, title=title_of(text), assistant=agent.name)
    try:
        with writing():
            thread.save(force_insert=True)
            run_content(thread, text, name="new", client_id=client_id)
    except Refused:
        if known := receipt_for(owner.pk, client_id):  # its twin was faster
            return made_before(known)
        raise
    return thread


def made_before(receipt: Receipt) -> Thread:
    if receipt.command != "new":
        raise used_elsewhere()
    return receipt.thread


def send(thread: Thread, text: str, *, client_id: UUID | None = None) -> Sent:
    """Starts a run with the message, or puts it in the queue behind a live one.

    An interrupted or failed run is folded, never erased. A held queue goes on: the message joins its end, and
    the first one starts. A client_id that was seen before changes nothing.
    """
    with command(thread) as locked:
        if known := receipt_in(locked, client_id):
            return sent_before(known)
        text = message_text(text)
        run = checkpoints.in_flight(locked.session_id)
        if run is not None and run.live:
            return queue_content(locked, text, name="send", client_id=client_id)
        if run is not None:
            fold_orphan(locked, run)
        hold(locked, "")
        if has_queue(locked.id):
            return queue_content(locked, text, name="send", client_id=client_id)
        return run_content(locked, text, name="send", client_id=client_id)


def sent_before(receipt: Receipt) -> Sent:
    return Sent(receipt.run_id, QueuedMessage.objects.filter(run_id=receipt.run_id).exists())


def run_content(thread: Thread, content: Content, *, name: str, client_id: UUID | None) -> Sent:
    """Starts a run with this content in the caller's transaction; without room it is next in the queue."""
    if not has_room(thread.owner_id):
        return queue_content(thread, content, name=name, client_id=client_id, first=True)
    job, frames = start(thread, content)
    write_receipt(thread, client_id, name=name, run_id=job.run_id)
    executor.execute(job, frames)
    tell_sidebar(thread)
    return Sent(job.run_id, queued=False)


def queue_content(
    thread: Thread, content: Content, *, name: str, client_id: UUID | None, first: bool = False
) -> Sent:
    """Puts the content in the queue, whose first message starts if nothing is in its way."""
    if not first:
        require_room_in_queue(thread, text_of(content))
    waiting = enqueue(thread, content, first=first)
    write_receipt(thread, client_id, name=name, run_id=waiting.run_id)
    start_waiting(thread)
    tell_queue(thread)
    return Sent(waiting.run_id, queued=QueuedMessage.objects.filter(pk=waiting.pk).exists())
