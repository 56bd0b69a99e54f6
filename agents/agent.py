"""What an agent is: a description without state of a run, safe to share between runs."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from agents.errors import UserError
from agents.guardrails import InputGuardrail, OutputGuardrail
from agents.hooks import Hooks
from agents.providers.base import Provider, provider_for
from agents.run_info import RunInfo
from agents.tools.base import Tool

Instructions = str | Callable[[RunInfo], str | Awaitable[str]]


@dataclass(slots=True, eq=False)
class Agent:
    """`instructions` are rendered afresh for every turn. `model` is a name ("openai:gpt-5", "demo") or a
    Provider.

    `handoffs` are the agents that may take over (cycles are fine, two agents of one name are not), and
    `handoff_description` is what the others' models read about this one. `output_type`: a dataclass,
    TypedDict or pydantic model that the final answer must fit. `settings` go to the provider: temperature,
    max_tokens and such.
    """

    name: str
    instructions: Instructions = ""
    model: str | Provider | None = None
    tools: list[Tool] = field(default_factory=list)
    handoffs: list[Agent] = field(default_factory=list)
    handoff_description: str = ""
    output_type: Any = None
    input_guardrails: list[InputGuardrail] = field(default_factory=list)
    output_guardrails: list[OutputGuardrail] = field(default_factory=list)
    hooks: Hooks | None = None
    settings: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise UserError("An agent needs a name.")


async def render_instructions(agent: Agent, run: RunInfo) -> str:
    if isinstance(agent.instructions, str):
        return agent.instructions
    rendered = agent.instructions(run)
    return await rendered if inspect.isawaitable(rendered) else rendered


def provider_of(agent: Agent, model: str | Provider | None = None) -> tuple[Provider, str]:
    """The provider that answers for this agent, and its name for the model. `model` goes before the agent's
    own."""
    chosen = agent.model if model is None else model
    if chosen is None:
        raise UserError(f"Agent {agent.name!r} has no model.", hint='Set Agent(model="vendor:name").')
    return provider_for(chosen) if isinstance(chosen, str) else (chosen, chosen.name)


def model_name(agent: Agent, model: str | Provider | None = None) -> str:
    """The model as people name it, for records."""
    chosen = agent.model if model is None else model
    return chosen if isinstance(chosen, str) else getattr(chosen, "name", "")
