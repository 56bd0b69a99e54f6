"""What every command is made of: the thread's lock, receipts, and the news after the commit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy

from agents.stores.orm import checkpoints
from agents.stores.orm.checkpoints import InFlight
from agents.stores.orm.transactions import writing
from chatapp.eventlog import Frame, hub, publish
from chatapp.eventlog.hub import Delivery, user_topic
from chatapp.lifecycle import ending_of, take_over_and_fold
from chatapp.models import Receipt, Thread
from chatapp.models.by_hand import find, insert_receipt
from chatapp.services.errors import Refused

CHANGED = gettext_lazy("This chat has changed since.")
CHANGED_HINT = gettext_lazy("Have a look, then send again.")
ELSEWHERE = gettext_lazy("This client_id was used for another command already.")
ELSEWHERE_HINT = gettext_lazy("Send again under a new one.")


@contextmanager
def command(thread: Thread) -> Iterator[Thread]:
    """One transaction that holds the thread. Raises Thread.DoesNotExist where it was deleted meanwhile."""
    with writing():
        locked = find(Thread, lock=True, id=thread.id, owner_id=thread.owner_id)
        if locked is None:
            raise Thread.DoesNotExist
        yield locked


def receipt_for(owner_id: int, client_id: UUID | None) -> Receipt | None:
    """The answer that this client_id was given before, in whichever thread."""
    if client_id is None:
        return None
    return find(Receipt, owner_id=owner_id, client_id=client_id)


def receipt_in(thread: Thread, client_id: UUID | None) -> Receipt | None:
    """The answer that this client_id was given before. Refused where that was in another thread."""
    known = receipt_for(thread.owner_id, client_id)
    if known and known.thread_id != thread.id:
        raise used_elsewhere()
    return known


def write_receipt(thread: Thread, client_id: UUID | None, *, name: str, run_id: str) -> None:
    """Refused where a command in another thread was faster; the transaction must end with that."""
    if client_id is None:
        return
    try:
        insert_receipt(
            owner_id=thread.owner_id, client_id=client_id, command=name, thread_id=thread.id, run_id=run_id
        )
    except IntegrityError as error:
        raise used_elsewhere() from error


def used_elsewhere() -> Refused:
    return Refused(str(ELSEWHERE), hint=str(ELSEWHERE_HINT))


def clear_the_way(thread: Thread) -> None:
    """Folds what is in flight without an owner, so that a new run may start. Refused while a run is live."""
    run = checkpoints.in_flight(thread.session_id)
    if run is None:
        return
    if run.live:
        raise Refused(str(CHANGED), hint=str(CHANGED_HINT))
    fold_orphan(thread, run)


def fold_orphan(thread: Thread, run: InFlight) -> None:
    """A run without an owner becomes a turn of the history, as it stands."""
    publish_later(thread, run.run_id, take_over_and_fold(thread, run, ending=ending_of(run)))


def publish_later(thread: Thread, run_id: str | None, frames: list[Frame]) -> None:
    transaction.on_commit(lambda: publish(thread.id, run_id, frames))


def tell_history(thread: Thread) -> None:
    """After the commit: open pages read the conversation again, the sidebar its row."""
    transaction.on_commit(lambda: publish(thread.id, None, [{"type": "history"}]))
    tell_sidebar(thread)


def tell_sidebar(thread: Thread, **more: Any) -> None:
    frame: Frame = {"type": "thread", "thread": str(thread.id), **more}
    transaction.on_commit(lambda: hub.deliver(user_topic(thread.owner_id), Delivery.of(None, [frame])))
