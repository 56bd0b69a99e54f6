"""Commands on the thread itself: rename, keep, delete."""

from __future__ import annotations

from typing import Any

from django.db import transaction

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
    """Ends a live run under a raised fence and removes every row of the thread. Its open pages are told."""
    with command(thread) as locked:
        run = checkpoints.in_flight(locked.session_id)
        if run is not None:
            checkpoints.claim(run.run_id, owner=checkpoints.process_owner(), force=True)
        for cut_id in locked.revisions.values_list("cut_id", flat=True):
            sessions.delete_session(cut_id)
        sessions.delete_session(locked.session_id)
        publish_later(locked, None, [{"type": "deleted"}])
        tell_sidebar(locked, deleted=True)
        if run is not None:
            transaction.on_commit(lambda: executor.get().abandon(run.run_id))
            transaction.on_commit(lambda: wake_owner(run))
        Thread.objects.get(pk=locked.pk).delete()


def delete_user(user: Any) -> None:
    """Removes a user with all of their threads."""
    for thread in Thread.objects.filter(owner=user):
        delete(thread)
    user.delete()
