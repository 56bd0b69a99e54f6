"""Fold, start, resume: what happens to a thread's run, in one transaction each.

These functions are called inside a transaction that holds the thread (commands) or by the run's owner
(the executor). They write the engine's rows and the web app's together, and return what is to be
published or executed after the commit.
"""

from chatapp.lifecycle.folding import Folded, fold, fold_waiting, plan_fold, take_over_and_fold
from chatapp.lifecycle.jobs import RunJob
from chatapp.lifecycle.ownership import is_waiting, runs_wait_for_workers
from chatapp.lifecycle.recovery import MAX_AUTOMATIC_RESUMES, may_resume
from chatapp.lifecycle.starting import resume, start, take
from chatapp.lifecycle.status import RunState, ending_of, is_live, state_of

__all__ = [
    "MAX_AUTOMATIC_RESUMES",
    "Folded",
    "RunJob",
    "RunState",
    "ending_of",
    "fold",
    "fold_waiting",
    "is_live",
    "is_waiting",
    "may_resume",
    "plan_fold",
    "resume",
    "runs_wait_for_workers",
    "start",
    "state_of",
    "take",
    "take_over_and_fold",
]
