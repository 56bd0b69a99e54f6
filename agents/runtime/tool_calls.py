"""The calls of one turn: which may start when, their start recorded, their results stored one by one as they
land."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace

from agents.agent import Agent
from agents.cancel import shielded
from agents.events import EventStream, ToolCalled, ToolProgressed, ToolReturned
from agents.hooks import Hooks, notify
from agents.runtime.checkpoint_writer import CheckpointWriter
from agents.runtime.state import RunState
from agents.runtime.tool_board import ToolBoard
from agents.runtime.tool_execution import Outcome, PlannedCall, plan_call, refused, run_call
from agents.tools.base import RunContext, Tool
from agents.transcript import ToolCallEntry, ToolResultEntry

logger = logging.getLogger(__name__)

MOST_AT_ONCE = 32
"""Calls of one turn that run side by side, since each has a thread: a model may ask for any number."""

_GRACE = 2.0
"""Seconds that a cancelled tool has to clean up before it is left behind."""

_left_behind: set[asyncio.Task[Outcome]] = set()


class ToolRound:
    """Calls run side by side, `MOST_AT_ONCE` at most; one that is not `parallel` runs alone, in its place."""

    def __init__(
        self,
        state: RunState,
        writer: CheckpointWriter,
        calls: Iterable[tuple[int, ToolCallEntry]],
        *,
        tools: Mapping[str, Tool],
        handoffs: Mapping[str, Agent],
        hooks: Sequence[Hooks],
    ) -> None:
        self._state = state
        self._writer = writer
        self._handoffs = handoffs
        self._hooks = hooks
        self._calls = [
            plan_call(entry, index, tools=tools, ctx=self._context(entry.call_id)) for index, entry in calls
        ]
        self._groups = _grouped(call for call in self._calls if call.runs)

    def starting(self) -> list[str]:
        """The ids of the calls that start at once."""
        return _ids(self._groups[0]) if self._groups else []

    async def stream(self) -> EventStream:
        await self._record_start(self.starting())
        for announced in self._announce():
            yield announced
        for call in self._calls:
            if not call.runs:
                yield await self._land(refused(call))
        for number, group in enumerate(self._groups):
            if number:
                await self._record_start(_ids(group))
                for call in group:
                    yield self._called(call, started=True)
            async with aclosing(self._stream_group(group)) as events:
                async for event in events:
                    yield event

    async def _stream_group(self, group: Sequence[PlannedCall]) -> EventStream:
        board = ToolBoard()
        tasks = [self._start(call, board) for call in group]
        landed = 0
        try:
            while landed < len(tasks):
                await board.wait()
                for call_id, progress in board.take_progress().items():
                    yield ToolProgressed(
                        self._state.run_id, call_id, progress.done, progress.total, progress.note
                    )
                while board.finished:
                    landed += 1
                    yield await self._land(board.finished.popleft().result())
        finally:
            board.close()
            if landed < len(tasks):
                await shielded(self._abandon(tasks, board))

    def _start(self, call: PlannedCall, board: ToolBoard) -> asyncio.Task[Outcome]:
        task = asyncio.create_task(self._run(call, board))
        task.add_done_callback(board.finish)
        return task

    async def _run(self, call: PlannedCall, board: ToolBoard) -> Outcome:
        info = self._state.info()
        await notify(self._hooks, lambda hook: hook.tool_started(info, call.entry))
        ctx = self._context(call.entry.call_id)
        self._state.running_calls.add(call.entry.call_id)
        return await run_call(call, replace(ctx, on_progress=board.reporter(call.entry.call_id)))

    async def _land(self, outcome: Outcome) -> ToolReturned:
        """Store the result; it is nobody's business before that."""
        index = len(self._state.entries)
        result = self._take_in(outcome)
        await self._writer.save()
        info, call = self._state.info(), outcome.call.entry
        await notify(self._hooks, lambda hook: hook.tool_returned(info, call, result))
        return ToolReturned(
            self._state.run_id, index, call.call_id, call.name, result.output, result.is_error, result.seconds
        )

    def _take_in(self, outcome: Outcome) -> ToolResultEntry:
        state, result = self._state, self._settle_handoff(outcome)
        state.add([result])
        if result.seconds is not None:
            state.update(tool_seconds=state.head.tool_seconds | {result.call_id: result.seconds})
        return result

    def _settle_handoff(self, outcome: Outcome) -> ToolResultEntry:
        """The first handoff of a turn counts."""
        target = self._handoffs.get(outcome.call.entry.name)
        if target is None or outcome.result.is_error:
            return outcome.result
        taken = self._state.head.pending_handoff
        if taken is not None:
            return replace(outcome.result, output=f"Refused: {taken} takes over already.", is_error=True)
        self._state.update(pending_handoff=target.name)
        return outcome.result

    async def _abandon(self, tasks: Sequence[asyncio.Task[Outcome]], board: ToolBoard) -> None:
        """The run ends here: cancel what runs, and keep the results that are there all the same."""
        for task in tasks:
            task.cancel()
        _, running = await asyncio.wait(tasks, timeout=_GRACE)
        for task in running:
            logger.warning("a tool of run %s does not end", self._state.run_id)
            _left_behind.add(task)
            task.add_done_callback(_left_behind.discard)
        for task in board.finished:
            if not task.cancelled() and task.exception() is None:
                self._take_in(task.result())

    async def _record_start(self, call_ids: Sequence[str]) -> None:
        """Before a call starts this is stored, so that after a crash one that ran is told apart from one that
        did not."""
        recorded = self._state.head.started_calls
        new = [call_id for call_id in call_ids if call_id not in recorded]
        if new:
            self._state.start_calls(new)
            await self._writer.save()

    def _announce(self) -> Iterable[ToolCalled]:
        starting = self.starting()
        return [self._called(call, started=call.entry.call_id in starting) for call in self._calls]

    def _called(self, call: PlannedCall, *, started: bool) -> ToolCalled:
        entry = call.entry
        return ToolCalled(self._state.run_id, call.index, entry.call_id, entry.name, entry.arguments, started)

    def _context(self, call_id: str) -> RunContext:
        state = self._state
        return RunContext(
            run_id=state.run_id,
            call_id=call_id,
            session_id=state.head.session_id,
            agent_name=state.agent.name,
            deps=state.deps,
            on_usage=state.add_usage,
        )


def _grouped(calls: Iterable[PlannedCall]) -> list[list[PlannedCall]]:
    groups: list[list[PlannedCall]] = []
    for call in calls:
        if not groups or call.runs_alone or _is_full(groups[-1]):
            groups.append([])
        groups[-1].append(call)
    return groups


def _is_full(group: Sequence[PlannedCall]) -> bool:
    return group[0].runs_alone or len(group) == MOST_AT_ONCE


def _ids(group: Sequence[PlannedCall]) -> list[str]:
    return [call.entry.call_id for call in group]
