"""How one agent passes a run on to another: the graph of agents, and the tools that stand for its edges."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from agents.agent import Agent
from agents.errors import UserError
from agents.tools.base import RunContext, Tool

_PREFIX = "transfer_to_"


def agent_graph(entry: Agent) -> dict[str, Agent]:
    """Every agent that a run of `entry` can reach, by name. Two different agents of one name: UserError."""
    found: dict[str, Agent] = {}
    waiting = [entry]
    while waiting:
        agent = waiting.pop()
        known = found.setdefault(agent.name, agent)
        if known is not agent:
            raise UserError(
                f"Two agents are named {agent.name!r}.",
                hint="A stored run names its agent: make them differ.",
            )
        waiting.extend(target for target in agent.handoffs if found.get(target.name) is not target)
    return found


def find_agent(entry: Agent, name: str) -> Agent:
    """The agent that a stored run names. UserError if no handoff leads to it any more."""
    agents = agent_graph(entry)
    if name not in agents:
        raise UserError(f"The run is with agent {name!r}, which {entry.name!r} does not reach.")
    return agents[name]


def handoff_targets(agent: Agent) -> dict[str, Agent]:
    """The tool names that hand over, and to whom. The same for the same agent, so that a stored call keeps
    its meaning."""
    targets: dict[str, Agent] = {}
    for position, target in enumerate(agent.handoffs, start=1):
        name = _PREFIX + (_slug(target.name) or str(position))
        while name in targets:
            name = f"{name}_{position}"
        targets[name] = target
    return targets


def tools_of(agent: Agent) -> dict[str, Tool]:
    """The agent's tools and handoffs by name. UserError if two share one."""
    handoffs = [_handoff_tool(name, target) for name, target in handoff_targets(agent).items()]
    tools: dict[str, Tool] = {}
    for tool in [*agent.tools, *handoffs]:
        if tool.name in tools:
            raise UserError(f"Agent {agent.name!r} has two tools named {tool.name!r}.")
        tools[tool.name] = tool
    return tools


def _handoff_tool(name: str, target: Agent) -> Tool:
    description = f"Hand the conversation over to {target.name}. {target.handoff_description}".strip()
    parameters: Mapping[str, Any] = {"type": "object", "properties": {}}
    return Tool(
        name=name,
        description=description,
        parameters=dict(parameters),
        invoke=_acknowledge(target),
        repeatable=True,
    )


def _acknowledge(target: Agent) -> Any:
    async def invoke(_ctx: RunContext, _arguments: dict[str, Any]) -> str:
        return f"{target.name} takes over."

    return invoke


def _slug(name: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_-]+", "_", name).strip("_")[:48]
