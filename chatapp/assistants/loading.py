"""From an entry of ASSISTANTS, `package.module:attribute`, to agents."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from agents import Agent, UserError
from agents.handoff import agent_graph


def load(path: str, model: str) -> list[Agent]:
    """The agents there. Those without a model of their own get `model`, they and all that they hand over to.

    Raises ImproperlyConfigured, which names the entry and what is wrong with it.
    """
    found = attribute(path)
    if callable(found) and not isinstance(found, Agent):
        found = found()
    agents = list(found) if isinstance(found, list | tuple) else [found]
    if not agents or not all(isinstance(agent, Agent) for agent in agents):
        kind = type(found).__name__
        raise wrong(
            path, f"an Agent, a list of them, or a callable that returns these is expected, not {kind}."
        )
    for agent in agents:
        give_model(agent, model, path)
    return agents


def give_model(entry: Agent, model: str, path: str) -> None:
    try:
        reached = agent_graph(entry)
    except UserError as error:
        raise wrong(path, str(error)) from error
    for agent in reached.values():
        agent.model = model if agent.model is None else agent.model


def attribute(path: str) -> Any:
    module_name, colon, name = path.strip().partition(":")
    if not (module_name and colon and name):
        raise wrong(path, "it must look like package.module:attribute.")
    try:
        module = import_module(module_name)
    except ImportError as error:
        raise wrong(path, f"{module_name} cannot be imported: {error}.") from error
    if not hasattr(module, name):
        raise wrong(path, f"{module_name} has no {name}.")
    return getattr(module, name)


def wrong(path: str, reason: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"ASSISTANTS, {path.strip()!r}: {reason}")
