"""How a run begins: new, continued, or only told again. One decision, made from what is stored."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from uuid import uuid4

from agents.agent import Agent
from agents.checkpoint import CheckpointOptions, RunHead, RunSnapshot
from agents.context import dropped_call_notes
from agents.errors import UserError
from agents.handoff import agent_graph, find_agent
from agents.runtime.options import RunOptions
from agents.runtime.state import RunState
from agents.session import Segment, gone_on
from agents.transcript import (
    AssistantTextEntry,
    Entry,
    InputEntry,
    clean_json,
    clean_text,
    pending_tool_calls,
)
from agents.usage import Usage

logger = logging.getLogger(__name__)

RunInput = str | InputEntry | Sequence[InputEntry]


@dataclass(frozen=True, slots=True)
class Opened:
    """`replayed`: the run is completed, and nothing of it is to be done again. `replaces`: the first save
    puts it in the place of the run that has its id."""

    state: RunState
    replayed: bool = False
    replaces: bool = False


async def open_run(agent: Agent, given: RunInput, options: RunOptions, *, run_id: str) -> Opened:
    """The table of `if_run_exists`, which changes nothing yet. UserError if the run cannot begin."""
    agent_graph(agent)
    checkpoint = options.checkpoint
    snapshot, stored = await _find(checkpoint)
    _check_owner(snapshot, options)
    if checkpoint and checkpoint.if_run_exists == "restart":
        return await _restarted(agent, given, options, checkpoint, known=stored is not None)
    segments = [] if _is_completed(snapshot) else await _segments(options)
    if checkpoint and snapshot is None:
        snapshot = _from_session(segments, checkpoint.run_id)
    if snapshot is None:
        return Opened(_fresh(agent, given, options, segments, run_id=run_id))
    if checkpoint and checkpoint.if_run_exists == "fail":
        raise UserError(f"Run {snapshot.run_id!r} exists already.")
    if _is_completed(snapshot):
        return Opened(_replayed(agent, snapshot, options), replayed=True)
    return Opened(_continued(agent, snapshot, options, segments, stored=stored))


def run_id_of(checkpoint: CheckpointOptions | None) -> str:
    return checkpoint.run_id if checkpoint else uuid4().hex


async def _find(checkpoint: CheckpointOptions | None) -> tuple[RunSnapshot | None, int | None]:
    """The run to go on with, and how many of its entries the checkpointer holds (None: it does not know the
    run)."""
    if checkpoint is None:
        return None, None
    kept = await checkpoint.checkpointer.load(checkpoint.run_id) if checkpoint.checkpointer else None
    held = checkpoint.resume_from
    if held is None:
        return kept, None if kept is None else len(kept.entries)
    if kept is not None and len(kept.entries) != len(held.entries):
        raise UserError(
            f"Run {held.run_id!r} has moved on since the snapshot was taken.", hint="Load it again."
        )
    return held, None if kept is None else len(kept.entries)


async def _segments(options: RunOptions) -> list[Segment]:
    if options.session is None or options.session_id is None:
        return []
    return await options.session.segments(options.session_id)


def _from_session(segments: Sequence[Segment], run_id: str) -> RunSnapshot | None:
    """A completed run whose checkpoint is gone is still completed."""
    segment = next((segment for segment in segments if segment.run_id == run_id), None)
    if segment is None:
        return None
    meta = segment.meta or {}
    texts = [entry.content for entry in segment.entries if isinstance(entry, AssistantTextEntry)]
    head = RunHead(
        agent_name=str(meta.get("assistant", "")),
        usage=Usage.from_dict(meta.get("usage")),
        turns=int(meta.get("turns") or 0),
        status="completed",
        output=texts[-1] if texts else "",
        done=True,
    )
    return RunSnapshot.from_parts(run_id, segment.entries, head)


async def _restarted(
    agent: Agent, given: RunInput, options: RunOptions, checkpoint: CheckpointOptions, *, known: bool
) -> Opened:
    """In the place of the old run, if there is one; in the session that must be the last."""
    segments = await _segments(options)
    ids = [segment.run_id for segment in segments]
    in_session = checkpoint.run_id in ids
    if in_session and (ids[-1] != checkpoint.run_id or not hasattr(options.session, "rewind")):
        raise gone_on(checkpoint.run_id)
    before = segments[:-1] if in_session else segments
    state = _fresh(agent, given, options, before, run_id=checkpoint.run_id)
    return Opened(state, replaces=known or in_session)


def _is_completed(snapshot: RunSnapshot | None) -> bool:
    return snapshot is not None and snapshot.head.status == "completed"


def _check_owner(snapshot: RunSnapshot | None, options: RunOptions) -> None:
    belongs_to = snapshot.head.session_id if snapshot else None
    if snapshot and belongs_to is not None and options.session_id not in (None, belongs_to):
        raise UserError(f"Run {snapshot.run_id!r} belongs to session {belongs_to!r}.")


def _fresh(
    agent: Agent, given: RunInput, options: RunOptions, segments: Sequence[Segment], *, run_id: str
) -> RunState:
    checkpoint = options.checkpoint
    if checkpoint and checkpoint.if_run_exists == "resume_only":
        raise UserError(f"There is no run {run_id!r} to resume.")
    entries = _input_entries(given)
    if not entries:
        raise UserError("A new run needs an input.")
    head = RunHead(
        agent_name=agent.name,
        session_id=options.session_id,
        started_at=datetime.now(UTC),
        input_checked=not agent.input_guardrails,
    )
    return RunState(
        run_id,
        agent,
        head,
        list(entries),
        history=_flat(segments),
        notes=_notes(options, segments),
        deps=options.deps,
    )


def _continued(
    agent: Agent,
    snapshot: RunSnapshot,
    options: RunOptions,
    segments: Sequence[Segment],
    *,
    stored: int | None,
) -> RunState:
    others = [segment for segment in segments if segment.run_id != snapshot.run_id]
    session_id = snapshot.head.session_id or options.session_id
    head = replace(snapshot.head, status="running", error=None, session_id=session_id, updated_at=None)
    return RunState(
        snapshot.run_id,
        find_agent(agent, head.agent_name),
        head,
        list(snapshot.entries),
        stored=stored or 0,
        history=_flat(others),
        notes=_notes(options, others),
        deps=options.deps,
        resumed=True,
        begun=stored is not None,
        withdraw=not head.done and not pending_tool_calls(snapshot.entries),
        turn=head.turns,
    )


def _replayed(agent: Agent, snapshot: RunSnapshot, options: RunOptions) -> RunState:
    session_id = snapshot.head.session_id or options.session_id
    return RunState(
        snapshot.run_id,
        _agent_or_entry(agent, snapshot.head.agent_name),
        replace(snapshot.head, session_id=session_id),
        list(snapshot.entries),
        stored=len(snapshot.entries),
        resumed=True,
        begun=True,
        turn=snapshot.head.turns,
    )


def _agent_or_entry(agent: Agent, name: str) -> Agent:
    """Work that is done is not made an error by a renamed agent."""
    known = agent_graph(agent).get(name)
    if known is None:
        logger.warning("a completed run names agent %r, which %r does not reach", name, agent.name)
    return known or agent


def _flat(segments: Sequence[Segment]) -> list[Entry]:
    return [entry for segment in segments for entry in segment.entries]


def _notes(options: RunOptions, segments: Sequence[Segment]) -> list[str]:
    return [*options.notes, *dropped_call_notes(segments)]


def _input_entries(given: RunInput) -> list[InputEntry]:
    if isinstance(given, str):
        return [InputEntry("user", clean_text(given))]
    entries = [given] if isinstance(given, InputEntry) else list(given)
    return [InputEntry(entry.role, clean_json(entry.content)) for entry in entries]
