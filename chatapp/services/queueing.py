"""The queue: messages that were sent while a run was in flight, and what a person may do about them."""

from __future__ import annotations

from uuid import UUID

from django.utils.translation import gettext_lazy

from agents.stores.orm import checkpoints
from chatapp import executor
from chatapp.lifecycle import ending_of, take_over_and_fold
from chatapp.lifecycle.content import text_of, with_text
from chatapp.lifecycle.queue import hold, start_next, tell_queue
from chatapp.lifecycle.room import has_room
from chatapp.models import QueuedMessage, Thread
from chatapp.services.commands import command, publish_later, tell_sidebar
from chatapp.services.errors import Refused
from chatapp.services.text import MESSAGE_LIMIT, message_text

QUEUE_MESSAGES = 100
QUEUE_CHARACTERS = 2 * MESSAGE_LIMIT

FULL = gettext_lazy("Too much is waiting in this chat already.")
FULL_HINT = gettext_lazy("Wait for the next answer, or withdraw a message that waits.")
GONE = gettext_lazy("This message is on its way already.")
GONE_HINT = gettext_lazy("Its turn has come, or it was withdrawn in another window.")


def edit_queued(thread: Thread, message_id: UUID, text: str) -> None:
    """Another text for a message that waits. Refused where it waits no more."""
    text = message_text(text)
    with command(thread) as locked:
        message = _waiting(locked, message_id)
        require_room_in_queue(locked, text, besides=message)
        message.content = with_text(message.content, text)
        message.save(update_fields=["content"])
        tell_queue(locked)


def require_room_in_queue(thread: Thread, text: str, *, besides: QueuedMessage | None = None) -> None:
    """Every change of a queue is told with all that is in it. Refused where that would be too much."""
    lengths = [len(text_of(waiting.content)) for waiting in thread.queue.all() if waiting != besides]
    if len(lengths) >= QUEUE_MESSAGES or sum(lengths) + len(text) > QUEUE_CHARACTERS:
        raise Refused(str(FULL), hint=str(FULL_HINT))


def withdraw(thread: Thread, message_id: UUID) -> str:
    """Takes a message out of the queue. → its text, for the box"""
    with command(thread) as locked:
        message = _waiting(locked, message_id)
        text = text_of(message.content)
        message.delete()
        hold(locked, locked.queue_held)
        tell_queue(locked)
    return text


def go_on(thread: Thread) -> None:
    """Lets a held queue go on. A run without an owner in front of it is kept as it is."""
    with command(thread) as locked:
        hold(locked, "")
        run = checkpoints.in_flight(locked.session_id)
        if run is not None and not run.live and locked.queue.exists():
            publish_later(locked, run.run_id, take_over_and_fold(locked, run, ending=ending_of(run)))
        start_waiting(locked)
        tell_queue(locked)


def start_waiting(thread: Thread) -> None:
    """In a command's transaction: starts the first message that waits, where nothing is in its way."""
    started = start_next(thread) if has_room(thread.owner_id) else None
    if started is not None:
        executor.execute(*started)
        tell_sidebar(thread)


def _waiting(thread: Thread, message_id: UUID) -> QueuedMessage:
    message = thread.queue.filter(id=message_id).first()
    if message is None:
        raise Refused(str(GONE), hint=str(GONE_HINT))
    return message
