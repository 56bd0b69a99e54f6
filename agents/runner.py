"""The way in: run an agent to its end, or watch it on the way."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import Any, Unpack

from agents.agent import Agent
from agents.errors import UserError
from agents.events import EventStream
from agents.runtime.loop import RunLoop, RunResult
from agents.runtime.options import RunKeywords, RunOptions
from agents.runtime.resume import RunInput
from agents.tools.base import RunContext, Tool

__all__ = ["RunResult", "Runner", "agent_tool"]


class Runner:
    """Without state. The keyword arguments are those of RunOptions."""

    @staticmethod
    async def run(agent: Agent, input: RunInput, **options: Unpack[RunKeywords]) -> RunResult:
        """The result. What ended the run otherwise is raised, after all that was whole is saved."""
        loop = RunLoop(agent, input, RunOptions(**options))
        return await _drive(loop)

    @staticmethod
    def run_sync(agent: Agent, input: RunInput, **options: Unpack[RunKeywords]) -> RunResult:
        """For callers without an event loop."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(Runner.run(agent, input, **options))
        raise UserError("An event loop is running here.", hint="Use `await Runner.run(…)`.")

    @staticmethod
    def stream(agent: Agent, input: RunInput, **options: Unpack[RunKeywords]) -> EventStream:
        """The events, exactly one terminal one last; errors are told by it, not raised, once the run has
        begun.

        Closing the generator, or cancelling its task, ends the run at once: the connection to the model is
        closed, tools are cancelled, and what was whole is saved before the cancel goes on. `break` alone
        closes it a little later.
        """
        return RunLoop(agent, input, RunOptions(**options)).stream()


def agent_tool(
    agent: Agent,
    *,
    name: str,
    description: str,
    tool_timeout: float | None = 600.0,
    **options: Unpack[RunKeywords],
) -> Tool:
    """An agent that another one asks as it would call a tool. It sees the task and nothing of the
    conversation; what it uses counts."""

    async def invoke(ctx: RunContext, arguments: dict[str, Any]) -> Any:
        chosen = RunOptions(**{"deps": ctx.deps} | options)
        loop = RunLoop(agent, str(arguments.get("task", "")), chosen)
        try:
            return (await _drive(loop)).output
        finally:
            ctx.on_usage(loop.usage)

    parameters = {
        "type": "object",
        "properties": {"task": {"type": "string", "description": "All that the agent must know."}},
        "required": ["task"],
    }
    return Tool(
        name=name, description=description, parameters=parameters, invoke=invoke, timeout=tool_timeout
    )


async def _drive(loop: RunLoop) -> RunResult:
    async with aclosing(loop.stream()) as events:
        async for _ in events:
            pass
    if loop.error is not None:
        raise loop.error
    assert loop.result is not None
    return loop.result
