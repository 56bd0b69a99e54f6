"""Jobs for the workers: one a run that waits. A job names its run, and nothing else; the lease decides."""

from __future__ import annotations

from functools import cache

from django.db import connection
from procrastinate.contrib.django.django_connector import DjangoConnector
from procrastinate.exceptions import ConnectorException
from procrastinate.manager import JobManager
from procrastinate.tasks import configure_task

from agents.stores.orm import checkpoints
from chatapp.lifecycle.ownership import QUEUED_OWNER

QUEUE = "runs"
DRIVE_RUN = "drive_run"


@cache
def _manager() -> JobManager:
    # Of our own: in a worker, the app's has connections that know nothing of Django's transactions.
    return JobManager(DjangoConnector())


def defer(run_id: str) -> None:
    """A job for this run, in the caller's transaction. A second one for the same run does no harm.

    Raises what the database has raised, as the caller's other statements do.
    """
    task = configure_task(name=DRIVE_RUN, job_manager=_manager(), queue=QUEUE)
    with connection.wrap_database_errors:
        try:
            task.defer(run_id=run_id)
        except ConnectorException as error:
            raise (error.__cause__ or error) from None


def defer_lost() -> None:
    """A new job for each run that waits and has none, or whose job has ended without taking it."""
    from procrastinate.contrib.django.models import ProcrastinateJob  # installed on Postgres only

    waiting = checkpoints.owned_by(QUEUED_OWNER)
    jobs = ProcrastinateJob.objects.filter(task_name=DRIVE_RUN, status__in=("todo", "doing"))
    standing = set(jobs.filter(args__run_id__in=waiting).values_list("args__run_id", flat=True))
    for run_id in waiting:
        if run_id not in standing:
            defer(run_id)
