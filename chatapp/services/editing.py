"""Edit and regenerate: rewind plus a new run, in one transaction. The tail is set aside, never lost."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.utils.translation import gettext as _

from agents.stores.orm import checkpoints, sessions
from agents.transcript import InputEntry
from chatapp.lifecycle.content import Content, with_text
from chatapp.lifecycle.queue import hold
from chatapp.models import Revision, Thread
from chatapp.services.commands import (
    CHANGED,
    CHANGED_HINT,
    clear_the_way,
    command,
    receipt_for,
    tell_history,
)
from chatapp.services.errors import Refused
from chatapp.services.sending import Sent, run_content, sent_before
from chatapp.services.settling import settle
from chatapp.services.text import message_text

Ref = tuple[str, int]


def edit(thread: Thread, ref: str, text: str, *, client_id: UUID | None = None) -> Sent:
    """Replaces a user's message and everything after it by a new run. Attachments stay. → what was sent

    Refused where the ref is gone or names no message of the user, before anything is stopped.
    """
    if known := receipt_for(thread.owner_id, client_id):
        return sent_before(known)
    text = message_text(text)
    address = parse_ref(ref)
    _message_at(thread, address)
    return _rewind_and_run(
        thread,
        lambda locked: address,
        lambda content: with_text(content, text),
        reason=Revision.Reason.EDIT,
        client_id=client_id,
    )


def regenerate(thread: Thread, *, client_id: UUID | None = None) -> Sent:
    """A new answer to the last message; the old one is set aside. → what was sent"""
    if known := receipt_for(thread.owner_id, client_id):
        return sent_before(known)
    _last_message(thread)
    return _rewind_and_run(
        thread, _last_message, lambda content: content, reason=Revision.Reason.REGENERATE, client_id=client_id
    )


def _rewind_and_run(
    thread: Thread,
    where: Callable[[Thread], Ref],
    change: Callable[[Content], Content],
    *,
    reason: Revision.Reason,
    client_id: UUID | None,
) -> Sent:
    held = thread.queue_held
    settle(thread)
    with command(thread) as locked:
        if known := receipt_for(locked.owner_id, client_id):
            return sent_before(known)
        clear_the_way(locked)
        hold(locked, held)
        run_id, index = where(locked)
        content = _message_at(locked, (run_id, index)).content
        cut_id = sessions.cut(locked.session_id, run_id, index)
        Revision.objects.create(thread=locked, cut_id=cut_id, reason=reason)
        tell_history(locked)
        return run_content(locked, change(content), name=reason, client_id=client_id)


def parse_ref(ref: str) -> Ref:
    """`<run_id>:<index>`. Refused where it has another shape."""
    run_id, _, index = ref.rpartition(":")
    if not run_id or not index.isascii() or not index.isdigit() or len(index) > 9:
        raise Refused(str(CHANGED), hint=str(CHANGED_HINT))
    return run_id, int(index)


def _message_at(thread: Thread, ref: Ref) -> InputEntry:
    """The user's message at this address, in the session or in the run in flight."""
    run_id, index = ref
    run = checkpoints.in_flight(thread.session_id)
    log = run.log if run and run.run_id == run_id else sessions.log_of(thread.session_id, run_id)
    found = checkpoints.indexed_entries(log, start=index, stop=index + 1) if log else []
    entry = found[0][1] if found else None
    if not isinstance(entry, InputEntry) or entry.role != "user":
        raise Refused(str(CHANGED), hint=str(CHANGED_HINT))
    return entry


def _last_message(thread: Thread) -> Ref:
    run = checkpoints.in_flight(thread.session_id)
    ref = (run.run_id, 0) if run else sessions.last_input_ref(thread.session_id)
    if ref is None:
        raise Refused(_("There is no message to answer."), hint=_("Write one."))
    return ref
