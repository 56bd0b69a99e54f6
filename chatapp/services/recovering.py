"""What a person may do about a run without an owner: resume, keep, discard."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.stores.orm import checkpoints, sessions
from agents.stores.orm.checkpoints import InFlight
from agents.transcript import InputEntry
from chatapp import executor
from chatapp.lifecycle import ending_of, resume, state_of, take_over_and_fold
from chatapp.lifecycle.content import text_of
from chatapp.lifecycle.queue import hold, tell_queue
from chatapp.models import Revision, Thread
from chatapp.models.by_hand import has_queue
from chatapp.services.commands import command, publish_later, tell_history, tell_sidebar
from chatapp.services.errors import Invalid, Refused

NOTHING = gettext_lazy("There is nothing to recover in this chat.")
NOTHING_HINT = gettext_lazy(
    "It goes on already, or it was decided in another window. Have a look at it again."
)


@dataclass(frozen=True, slots=True)
class Recovered:
    """`text`: the message that goes back into the box (discard). `run_id`: the run it was about."""

    run_id: str
    text: str | None = None


def recover(thread: Thread, action: str) -> Recovered:
    """Resume (also: retry), keep or discard the interrupted or failed run. Refused where there is none.

    Resume is the user's consent to run unanswered calls again.
    """
    actions = {"resume": _resume, "keep": _keep, "discard": _discard}
    if action not in actions:
        raise Invalid(_("Unknown action."), hint=_("Use resume, keep or discard."))
    with command(thread) as locked:
        run = checkpoints.in_flight(locked.session_id)
        if run is None or run.live:
            raise Refused(str(NOTHING), hint=str(NOTHING_HINT))
        return actions[action](locked, run)


def _resume(thread: Thread, run: InFlight) -> Recovered:
    resumed = resume(thread, run)
    if resumed is None:
        raise Refused(str(NOTHING), hint=str(NOTHING_HINT))
    executor.execute(*resumed)
    tell_sidebar(thread)
    if has_queue(thread.id):
        tell_queue(thread)
    return Recovered(run.run_id)


def _keep(thread: Thread, run: InFlight) -> Recovered:
    publish_later(thread, run.run_id, take_over_and_fold(thread, run, ending=ending_of(run)))
    _hold_what_waits(thread, run)
    tell_history(thread)
    return Recovered(run.run_id)


def _discard(thread: Thread, run: InFlight) -> Recovered:
    text = _message_of(run)
    publish_later(thread, run.run_id, take_over_and_fold(thread, run, ending=ending_of(run)))
    cut_id = sessions.cut(thread.session_id, run.run_id, 0)
    Revision.objects.create(thread=thread, cut_id=cut_id, reason=Revision.Reason.DISCARD)
    _hold_what_waits(thread, run)
    tell_history(thread)
    return Recovered(run.run_id, text)


def _hold_what_waits(thread: Thread, run: InFlight) -> None:
    """What waited behind an answer that broke off does not start because of a decision about that answer."""
    if hold(thread, state_of(run)):
        tell_queue(thread)


def _message_of(run: InFlight) -> str:
    first = checkpoints.indexed_entries(run.log, start=0, stop=1)
    entry = first[0][1] if first else None
    return text_of(entry.content) if isinstance(entry, InputEntry) else ""
