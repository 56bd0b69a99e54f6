"""The turns of a run: the model is asked, and what it says is either calls, which are run, or the answer."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

from agents.agent import model_name, provider_of, render_instructions
from agents.aside import aside
from agents.context import view_for
from agents.errors import AgentsError, BudgetExceeded, GuardrailTripped, OutputInvalid, TurnLimitExceeded
from agents.events import EventStream, TextWithdrawn, TurnStarted
from agents.guardrails import check_guardrails
from agents.handoff import handoff_targets, tools_of
from agents.hooks import Hooks, notify
from agents.providers.base import ModelRequest, Provider, ToolSpec
from agents.runtime.checkpoint_writer import CheckpointWriter
from agents.runtime.draft import TurnDraft
from agents.runtime.model_turn import ModelTurn
from agents.runtime.options import RunOptions
from agents.runtime.output import output_schema, parse_output, repair_request, storable_output
from agents.runtime.state import RunState
from agents.runtime.tool_calls import ToolRound
from agents.transcript import ToolCallEntry, unpaired_positions


class Turns:
    def __init__(self, state: RunState, writer: CheckpointWriter, options: RunOptions) -> None:
        self._state = state
        self._writer = writer
        self._options = options

    async def stream_open_calls(self) -> EventStream:
        """On a resume: the calls that have no result yet, under the number of the turn that made them."""
        calls = _open_calls(self._state)
        if not calls:
            return
        async with aclosing(self._stream_round(self._round(calls))) as events:
            async for event in events:
                yield event

    async def stream_turn(self) -> EventStream:
        state = self._state
        if (limit := self._limit()) is not None:
            if state.shows_misfit:
                yield TextWithdrawn(state.run_id)
            raise limit
        state.turn = state.head.turns + 1
        yield TurnStarted(state.run_id, state.turn)
        info = state.info()
        await notify(self._hooks, lambda hook: hook.turn_started(info))
        turn = await self._model_turn()
        async with aclosing(turn.stream()) as events:
            async for event in events:
                yield event
        state.update(turns=state.turn)
        settle = self._stream_calls if turn.draft.has_calls else self._stream_answer
        async with aclosing(settle(turn.draft)) as events:
            async for event in events:
                yield event

    # Asking

    async def _model_turn(self) -> ModelTurn:
        state, options = self._state, self._options
        provider, model = provider_of(state.agent, options.model)
        state.update(model=model_name(state.agent, options.model))
        request = await self._request(provider, model)
        return ModelTurn(state, provider, request, retry=options.retry)

    async def _request(self, provider: Provider, model: str) -> ModelRequest:
        state, options = self._state, self._options
        instructions = await render_instructions(state.agent, state.info())
        entries = [*state.history, *state.entries, *state.repair]
        return ModelRequest(
            model=model,
            system="\n\n".join(part for part in [instructions, *state.notes] if part),
            entries=await aside(entries, lambda: view_for(entries, provider=provider.name)),
            tools=[
                ToolSpec(tool.name, tool.description, tool.parameters)
                for tool in tools_of(state.agent).values()
            ],
            run_id=state.run_id,
            session_id=state.head.session_id,
            output_schema=output_schema(self._output_type),
            settings=state.agent.settings | (options.settings or {}),
            user=options.user,
        )

    def _limit(self) -> AgentsError | None:
        """What forbids one more turn."""
        head, options = self._state.head, self._options
        if head.turns >= options.max_turns:
            return TurnLimitExceeded(f"The run has used its {options.max_turns} turns.")
        if options.token_budget is not None and head.usage.total_tokens >= options.token_budget:
            return BudgetExceeded(f"The run has used its {options.token_budget:,} tokens.")
        return None

    # Calls

    async def _stream_calls(self, draft: TurnDraft) -> EventStream:
        state, first = self._state, len(self._state.entries)
        entries = draft.entries(taken=state.call_ids)
        state.add(entries)
        state.repair = []
        round_ = self._round(_calls_among(entries, first))
        starting = [] if self._is_over_tool_budget() else round_.starting()
        state.begin_turn_of(starting)
        state.reasoning_seconds |= draft.reasoning_seconds
        await self._writer.save()
        info = state.info()
        await notify(self._hooks, lambda hook: hook.turn_finished(info, entries))
        async with aclosing(self._stream_round(round_)) as events:
            async for event in events:
                yield event

    async def _stream_round(self, round_: ToolRound) -> EventStream:
        if self._is_over_tool_budget():
            raise BudgetExceeded(f"The run has used its {self._options.tool_budget} tool calls.")
        async with aclosing(round_.stream()) as events:
            async for event in events:
                yield event

    def _round(self, calls: Sequence[tuple[int, ToolCallEntry]]) -> ToolRound:
        agent = self._state.agent
        return ToolRound(
            self._state,
            self._writer,
            calls,
            tools=tools_of(agent),
            handoffs=handoff_targets(agent),
            hooks=self._hooks,
        )

    def _is_over_tool_budget(self) -> bool:
        budget = self._options.tool_budget
        return budget is not None and len(self._state.call_ids) > budget

    # The answer

    async def _stream_answer(self, draft: TurnDraft) -> EventStream:
        """The last save of the run is not made here: it is one with the end where the stores can do that."""
        state = self._state
        try:
            output = parse_output(draft.text, self._output_type)
        except OutputInvalid as error:
            if not state.repaired:
                self._ask_again(draft, error)
                return
            if draft.has_content:
                yield TextWithdrawn(state.run_id)
            raise
        try:
            await check_guardrails(state.agent.output_guardrails, state.info(), output)
        except GuardrailTripped:
            if draft.has_content:
                yield TextWithdrawn(state.run_id)
            raise
        entries = draft.entries(taken=state.call_ids)
        state.add(entries)
        state.finish_reason = draft.finish_reason
        state.reasoning_seconds |= draft.reasoning_seconds
        state.begin_turn_of(())
        state.update(done=True, output=storable_output(output))
        info = state.info()
        await notify(self._hooks, lambda hook: hook.turn_finished(info, entries))

    def _ask_again(self, draft: TurnDraft, error: OutputInvalid) -> None:
        """Once. The answer that did not fit is shown to the model, and stored nowhere."""
        state = self._state
        state.repaired = True
        state.repair = repair_request(draft.text, str(error))
        state.withdraw = state.shows_misfit = draft.has_content

    @property
    def _output_type(self) -> Any:
        return self._options.output_type or self._state.agent.output_type

    @property
    def _hooks(self) -> Sequence[Hooks]:
        return active_hooks(self._state, self._options)


def active_hooks(state: RunState, options: RunOptions) -> list[Hooks]:
    """Those of the agent that is at work, and those of the caller."""
    return [hooks for hooks in (state.agent.hooks, options.hooks) if hooks is not None]


def _open_calls(state: RunState) -> list[tuple[int, ToolCallEntry]]:
    if not state.resumed:
        return []
    unpaired = unpaired_positions(state.entries)
    return [
        (index, entry)
        for index, entry in enumerate(state.entries)
        if index in unpaired and isinstance(entry, ToolCallEntry)
    ]


def _calls_among(entries: Sequence[Any], first: int) -> list[tuple[int, ToolCallEntry]]:
    return [
        (index, entry) for index, entry in enumerate(entries, start=first) if isinstance(entry, ToolCallEntry)
    ]
