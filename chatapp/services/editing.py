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
    receipt_in,
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
    flying = _flying(thread)
    if known := receipt_in(thread, client_id):
        return sent_before(known)
    text = message_text(text)
    address = parse_ref(ref)
    return _rewind_and_run(
        thread,
        flying,
        lambda locked: address,
        lambda content: with_text(content, text),
        reason=Revision.Reason.EDIT,
        client_id=client_id,
    )


def regenerate(thread: Thread, *, client_id: UUID | None = None) -> Sent:
    """A new answer to the last message; the old one is set aside. → what was sent"""
    flying = _flying(thread)
    if known := receipt_in(thread, client_id):
        return sent_before(known)
    return _rewind_and_run(
        thread,
        flying,
        _last_message,
        lambda content: content,
        reason=Revision.Reason.REGENERATE,
        client_id=client_id,
    )


def _flying(thread: Thread) -> str:
    """The run that is stopped for the command. Read before anything else: where another tab was faster, the
    run that it has started is not ours to stop, and what is read next (the receipt, the ref) tells of it."""
    run = checkpoints.in_flight(thread.session_id)
    return run.run_id if run else ""


def _rewind_and_run(
    thread: Thread,
    flying: str,
    where: Callable[[Thread], Ref],
    change: Callable[[Content], Content],
    *,
    reason: Revision.Reason,
    client_id: UUID | None,
) -> Sent:
    try:
        address = where(thread)
        _message_at(thread, address)
        settle(thread, only=flying)
        return _in_one_transaction(thread, address, where, change, reason=reason, client_id=client_id)
    except Refused:
        if known := receipt_in(thread, client_id):  # refused because it was done, by its own twin
            return sent_before(known)
        raise


def _in_one_transaction(
    thread: Thread,
    address: Ref,
    where: Callable[[Thread], Ref],
    change: Callable[[Content], Content],
    *,
    reason: Revision.Reason,
    client_id: UUID | None,
) -> Sent:
    held = thread.queue_held  # as it was before a run was stopped for this
    with command(thread) as locked:
        if known := receipt_in(locked, client_id):
            return sent_before(known)
        clear_the_way(locked)
        hold(locked, held)
        if where(locked) != address:
            raise Refused(str(CHANGED), hint=str(CHANGED_HINT))
        content = _message_at(locked, address).content
        cut_id = sessions.cut(locked.session_id, *address)
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
