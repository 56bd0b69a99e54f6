"""One run from its first save to its last. The phases are named here and done elsewhere."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from agents.agent import Agent
from agents.cancel import shielded
from agents.errors import classify
from agents.events import EventStream, HandedOver, RunCompleted, RunFailed, RunStarted
from agents.guardrails import check_guardrails
from agents.handoff import find_agent
from agents.hooks import Hooks, notify
from agents.runtime.checkpoint_writer import CheckpointWriter
from agents.runtime.failure import describe, is_cancel, log_failure
from agents.runtime.interrupt import Interrupt
from agents.runtime.lease import Lease
from agents.runtime.options import RunOptions
from agents.runtime.output import revive_output
from agents.runtime.record import segment_meta
from agents.runtime.resume import Opened, RunInput, open_run, run_id_of
from agents.runtime.turns import Turns, active_hooks
from agents.transcript import Entry, entry_to_dict
from agents.usage import Usage

logger = logging.getLogger(__name__)

_HOOK_GRACE = 5.0


@dataclass(frozen=True, slots=True)
class RunResult:
    """`entries` are the run's own. `finish_reason` is what ended the last answer; None where it is not known
    any more."""

    output: Any
    entries: list[Entry]
    final_agent: Agent
    usage: Usage
    turns: int
    finish_reason: str | None
    run_id: str


class RunLoop:
    """Drive `stream` once. Then either `result` is there or `error`, unless the stream was left early."""

    def __init__(self, agent: Agent, given: RunInput, options: RunOptions) -> None:
        self.result: RunResult | None = None
        self.error: BaseException | None = None
        self._opened: Opened | None = None
        self._agent = agent
        self._given = given
        self._options = options
        self._checkpointer = options.checkpoint.checkpointer if options.checkpoint else None

    async def stream(self) -> EventStream:
        """Whatever keeps the run from beginning is raised; after that the last event says how it ended."""
        await self._open()
        try:
            self._interrupt.enter()
            async with aclosing(self._stream_run()) as events:
                async for event in events:
                    self._interrupt.leave()
                    yield event
                    self._interrupt.enter()
            return
        except BaseException as raised:
            self.error = self._interrupt.resolve(raised)
            await shielded(self._end(self.error))
            if not self._interrupt.is_reason(self.error) and not isinstance(raised, Exception):
                raise
        if self._is_stored_as_completed(self.error):
            self.error = None
            yield await self._completed()
        else:
            yield self._failed(self.error)

    # Beginning

    async def _open(self) -> None:
        options = self._options
        run_id = run_id_of(options.checkpoint)
        self._lease = Lease(run_id, self._checkpointer)
        try:
            await self._lease.acquire()
            opened = await open_run(self._agent, self._given, options, run_id=run_id)
            self._take(opened)
            if opened.replaces:
                await self._writer.restart()
            elif not self._state.begun:
                await self._writer.save()
        except BaseException as error:
            await shielded(self._abandon(error))
            raise
        self._interrupt = Interrupt(timeout=options.timeout, token=options.cancel)
        self._lease.keep(self._interrupt)

    async def _abandon(self, error: BaseException) -> None:
        """A first save that got through must not look as if somebody ran the run."""
        try:
            if self._opened:
                await self._writer.save_end(error)
        finally:
            await self._lease.release()

    def _take(self, opened: Opened) -> None:
        checkpoint = self._options.checkpoint
        self._replayed = opened.replayed
        self._state = opened.state
        self._writer = CheckpointWriter(
            opened.state,
            checkpointer=self._checkpointer,
            session=self._options.session,
            delete=bool(checkpoint and checkpoint.delete_on_success),
        )
        self._opened = opened

    # The way through

    async def _stream_run(self) -> EventStream:
        yield self._started()
        if self._replayed:
            await self._writer.replay(self._meta())
        else:
            async with aclosing(self._stream_work()) as events:
                async for event in events:
                    yield event
            await self._writer.finish(self._meta())
        yield await self._completed()

    async def _stream_work(self) -> EventStream:
        state = self._state
        info = state.info()
        await notify(self._hooks, lambda hook: hook.run_started(info, resumed=state.resumed))
        if state.head.pending_handoff is None:
            await self._check_input()
        turns = Turns(state, self._writer, self._options)
        async with aclosing(turns.stream_open_calls()) as events:
            async for event in events:
                yield event
        while not state.head.done:
            if handed_over := await self._apply_handoff():
                yield handed_over
            async with aclosing(turns.stream_turn()) as events:
                async for event in events:
                    yield event

    async def _check_input(self) -> None:
        """That they have passed is stored at once: the model's turn may take long, and a crash must not ask
        them again."""
        state = self._state
        if state.head.input_checked:
            return
        await check_guardrails(state.agent.input_guardrails, state.info(), state.input)
        state.update(input_checked=True)
        if state.agent.input_guardrails:
            await self._writer.save()

    async def _apply_handoff(self) -> HandedOver | None:
        """It becomes durable with the next save; until then the head names it as pending, and a resume
        applies it again."""
        state, name = self._state, self._state.head.pending_handoff
        if name is None:
            return None
        target, info = find_agent(self._agent, name), state.info()
        await notify(self._hooks, lambda hook: hook.handed_over(info, name))
        state.agent = target
        state.update(agent_name=name, pending_handoff=None)
        return HandedOver(state.run_id, name)

    # The end

    @property
    def usage(self) -> Usage:
        """So far; nothing where the run could not begin."""
        return self._opened.state.head.usage if self._opened else Usage()

    async def _completed(self) -> RunCompleted:
        state = self._state
        output = revive_output(state.head.output, self._options.output_type or state.agent.output_type)
        self.result = RunResult(
            output,
            list(state.entries),
            state.agent,
            state.head.usage,
            state.head.turns,
            state.finish_reason,
            state.run_id,
        )
        await self._close()
        if not self._replayed:
            info = state.info()
            await notify(self._hooks, lambda hook: hook.run_finished(info, "completed", None))
        return RunCompleted(
            state.run_id,
            state.head.output,
            state.head.usage.to_dict(),
            state.head.turns,
            state.finish_reason,
            state.agent.name,
            self._replayed,
        )

    async def _end(self, error: BaseException) -> None:
        """Not by itself. A run that is completed stays so, whatever happens after its last save."""
        state = self._state
        if state.head.status == "completed":
            await self._close()
            return
        try:
            await self._writer.save_end(error)
        finally:
            await self._close()
        log_failure(state.run_id, error)
        await self._tell_end(error)

    def _is_stored_as_completed(self, error: BaseException) -> bool:
        """What fired while the last save was made came too late."""
        is_told = self.result is not None
        return self._state.head.status == "completed" and not is_told and self._interrupt.is_reason(error)

    async def _tell_end(self, error: BaseException) -> None:
        """The end waits for no hook that hangs: nobody could cancel it any more."""
        info, status = self._state.info(), classify(error)
        try:
            async with asyncio.timeout(_HOOK_GRACE):
                await notify(self._hooks, lambda hook: hook.run_finished(info, status, error))
        except TimeoutError:
            logger.warning("a hook of run %s does not end", info.run_id)

    async def _close(self) -> None:
        self._interrupt.close()
        await self._lease.release()

    def _failed(self, error: BaseException) -> RunFailed:
        error_told = {"hint": ""} | describe(error)
        return RunFailed(self._state.run_id, classify(error), error_told, is_cancel(error))

    def _started(self) -> RunStarted:
        state = self._state
        given = [entry_to_dict(entry) for entry in state.input]
        return RunStarted(state.run_id, state.agent.name, given, state.resumed, 0)

    def _meta(self) -> dict[str, Any]:
        return segment_meta(self._state, self._options)

    @property
    def _hooks(self) -> Sequence[Hooks]:
        return active_hooks(self._state, self._options)
