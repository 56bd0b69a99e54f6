"""The thread of a job."""

from __future__ import annotations

from chatapp.lifecycle import RunJob
from chatapp.models import Thread


def thread_of(job: RunJob) -> Thread:
    """The job's thread, by owner too. Raises Thread.DoesNotExist where it was deleted."""
    return Thread.objects.get(pk=job.thread_id, owner_id=job.owner_id)
