"""Commands on the thread itself: rename, keep, delete."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from django.db import transaction
from django.db.models.signals import pre_delete
from django.dispatch import receiver

from agents.stores.orm import checkpoints, sessions
from chatapp import executor
from chatapp.lifecycle import ending_of, take_over_and_fold
from chatapp.models import Thread
from chatapp.services.commands import command, publish_later, tell_history, tell_sidebar
from chatapp.services.settling import settle, wake_owner
from chatapp.services.text import title_text


def rename(thread: Thread, title: str) -> None:
    """Gives the thread a title of the user's own."""
    title = title_text(title)
    with command(thread) as locked:
        locked.title, locked.title_source = title, Thread.TitleSource.USER
        locked.save(update_fields=["title", "title_source"])
        tell_history(locked)


def keep(thread: Thread) -> None:
    """Folds what is in flight: a live run is stopped, one without an owner kept as it is. For operators."""
    settle(thread)
    with command(thread) as locked:
        run = checkpoints.in_flight(locked.session_id)
        if run is not None and not run.live:
            publish_later(locked, run.run_id, take_over_and_fold(locked, run, ending=ending_of(run)))
            tell_history(locked)


def delete(thread: Thread) -> None:
    """Ends a live run and removes every row of the thread. Its open pages are told."""
    with command(thread) as locked:
        locked.delete()


def delete_user(user: Any) -> None:
    """Removes a user with all of their threads, also those that a last request still adds."""
    user.is_active = False
    user.save(update_fields=["is_active"])
    while (thread := Thread.objects.filter(owner=user).first()) is not None:
        with suppress(Thread.DoesNotExist):  # deleted by somebody else since
            delete(thread)
    user.delete()


@receiver(pre_delete, sender=Thread, dispatch_uid="chatapp.services.threads")
def empty(instance: Thread, **signal: Any) -> None:
    """However a thread is deleted: ends a live run under a raised fence, and leaves no row of the engine."""
    # A copy: what happens after the commit needs the id, which `instance` loses.
    thread = Thread.objects.select_for_update(no_key=True).filter(pk=instance.pk).first()
    if thread is None:
        return
    run = checkpoints.in_flight(thread.session_id)
    if run is not None:
        checkpoints.claim(run.run_id, owner=checkpoints.process_owner(), force=True)
        transaction.on_commit(lambda: executor.get().abandon(run.run_id))
        transaction.on_commit(lambda: wake_owner(run))
    for session_id in [*thread.revisions.values_list("cut_id", flat=True), thread.session_id]:
        sessions.delete_session(session_id)
    publish_later(thread, None, [{"type": "deleted"}])
    tell_sidebar(thread, deleted=True)
