"""One run, driven from its checkpoint to its end."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from agents import CheckpointOptions, Runner
from agents.errors import AgentsError, LeaseLost, UserError
from agents.stores import OrmSession
from chatapp.assistants import Deps, get_assistant
from chatapp.eventlog import EventLog, RunChannel
from chatapp.executor.checkpointer import RunCheckpointer
from chatapp.lifecycle import RunJob

logger = logging.getLogger(__name__)

MAX_TURNS = 50  # from here on: who resumes a run that has used them up gives it as many again


async def drive(job: RunJob, *, log: EventLog, channel: RunChannel, checkpointer: RunCheckpointer) -> None:
    """Runs the engine and passes its events to the log. The run's end is stored, or its lease runs out.

    The input is stored already, so every run is a resume to the engine.
    """
    checkpointer.has_begun = True
    try:
        await _stream(job, log, channel, checkpointer)
    except asyncio.CancelledError:
        await _close(checkpointer, None, job)
        if not (checkpointer.is_stopping or checkpointer.is_handing_over):
            raise
    except LeaseLost:
        logger.warning("run %s: the lease is lost; nothing more is written", job.run_id)
    except Exception as error:  # noqa: BLE001 (the border of a run: one never takes the server with it)
        _report(job, error)
        await _close(checkpointer, _error_of(error), job)
    else:
        await _close(checkpointer, None, job)


async def _stream(job: RunJob, log: EventLog, channel: RunChannel, checkpointer: RunCheckpointer) -> None:
    stream = Runner.stream(
        get_assistant(job.assistant),
        [],
        session=OrmSession(),
        session_id=job.session_id,
        checkpoint=CheckpointOptions(checkpointer, job.run_id, if_run_exists="resume_only"),
        deps=Deps(user_id=job.owner_id, thread_id=job.thread_id),
        model=job.model or None,
        max_turns=job.turns + MAX_TURNS,
    )
    async for event in stream:
        log.emit(channel, event)


async def _close(checkpointer: RunCheckpointer, error: dict[str, Any] | None, job: RunJob) -> None:
    """The terminal save if the engine has not made it. Best effort: else the lease runs out."""
    try:
        await checkpointer.end(error)
    except LeaseLost:
        logger.info("run %s: ended under another lease", job.run_id)
    except Exception as failure:  # noqa: BLE001 (never hides how the run ended)
        logger.error("run %s: its end could not be stored (%s); it shows as interrupted", job.run_id, failure)


def _report(job: RunJob, error: Exception) -> None:
    if isinstance(error, AgentsError):
        logger.warning("run %s: %s: %s", job.run_id, type(error).__name__, error)
    else:
        logger.error("run %s: a fault of ours", job.run_id, exc_info=error)


def _error_of(error: Exception) -> dict[str, Any]:
    known = isinstance(error, AgentsError)
    return {
        "type": type(error).__name__,
        "message": str(error) if known else "Something broke on the server.",
        "hint": error.hint if isinstance(error, UserError) else "",
    }
