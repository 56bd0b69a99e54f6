"""The tasks of the workers. Only these import this module; others name a task to defer it."""

from __future__ import annotations

from typing import cast

from procrastinate import JobContext
from procrastinate.contrib.django import app
from procrastinate.jobs import Status

from chatapp import executor
from chatapp.eventlog.threads import in_writer_thread
from chatapp.executor.deferring import DRIVE_RUN, QUEUE, defer_lost
from chatapp.executor.procrastinate import ProcrastinateExecutor

LOOK_AFTER_JOBS = "look_after_jobs"
STALLED_SECONDS = 20.0  # four of a worker's beats
KEPT_HOURS = 7 * 24
FIRST = 100


@app.task(name=DRIVE_RUN, queue=QUEUE)
async def drive_run(run_id: str) -> None:
    await cast(ProcrastinateExecutor, executor.get()).work_off(run_id)


# A queueing lock, never a lock: that of a worker that was killed would hold the next one up.
@app.periodic(cron="* * * * * */10")
@app.task(name=LOOK_AFTER_JOBS, queue=QUEUE, queueing_lock=LOOK_AFTER_JOBS, priority=FIRST, pass_context=True)
async def look_after_jobs(context: JobContext, timestamp: int) -> None:
    """Jobs of workers that died go to others; runs without a job get one; what is over is deleted."""
    jobs = context.app.job_manager
    for job in await jobs.get_stalled_jobs(queue=QUEUE, seconds_since_heartbeat=STALLED_SECONDS):
        if job.task_name == DRIVE_RUN:
            await jobs.retry_job(job)
        else:
            await jobs.finish_job(job, Status.FAILED, delete_job=True)
    await in_writer_thread(defer_lost)
    await jobs.delete_old_jobs(
        nb_hours=KEPT_HOURS, include_failed=True, include_cancelled=True, include_aborted=True
    )
