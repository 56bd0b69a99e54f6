"""What the assistants say of their tools, for the words of a turn."""

from __future__ import annotations

from agents.errors import UserError
from agents.handoff import agent_graph, handoff_targets
from chatapp.assistants import get_assistant
from chatapp.history.fold import ToolFacts


def tool_facts(assistant: str) -> ToolFacts:
    """Of an assistant and of all that it hands over to; of one that is gone nothing is known."""
    try:
        agents = list(agent_graph(get_assistant(assistant)).values())
    except UserError:
        return ToolFacts()
    repeatable = {tool.name for agent in agents for tool in agent.tools if tool.repeatable}
    targets = {name: target.name for agent in agents for name, target in handoff_targets(agent).items()}
    return ToolFacts(is_repeatable=(repeatable | targets.keys()).__contains__, handover_to=targets.get)
