"""The assistants on offer: the one place that names concrete models and tools.

`CHAT_MODEL` chooses the model of the built-in one, `ASSISTANTS` puts others in its place.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext

from agents import Agent, UserError
from agents.agent import model_name, provider_of
from chatapp.assistants.builtin import NAMES, builtin
from chatapp.assistants.examples import Example, examples_for
from chatapp.assistants.loading import load
from chatapp.tools import Deps

__all__ = [
    "Deps",
    "Example",
    "all_assistants",
    "default_assistant",
    "examples",
    "get_assistant",
    "is_demo",
    "model_label",
    "model_of",
    "warm_up",
]


def all_assistants() -> list[Agent]:
    """In the order of the settings, the default first. ImproperlyConfigured when those are wrong."""
    return list(_assistants(settings.CHAT_MODEL, tuple(settings.ASSISTANTS)).values())


def warm_up() -> None:
    """Imports what the models need, which may take seconds: the first message is not to wait for it."""
    for agent in all_assistants():
        with suppress(UserError):  # whoever asks this assistant is told
            provider_of(agent)


def default_assistant() -> Agent:
    return all_assistants()[0]


def get_assistant(name: str) -> Agent:
    """The one of that name, the default for "". UserError when it is no longer on offer.

    A thread that began with the demo goes on with the model that was connected since, and back.
    """
    found = _assistants(settings.CHAT_MODEL, tuple(settings.ASSISTANTS))
    if not name:
        return default_assistant()
    if name in found:
        return found[name]
    if name in NAMES and not settings.ASSISTANTS:
        return _builtin(settings.CHAT_MODEL, name)
    raise UserError(
        gettext("The assistant “%s” is not here any more.") % name,
        hint=gettext("Start a new chat with another one."),
    )


def examples(agent: Agent | None = None) -> list[Example]:
    """What the empty page offers to try: up to four sentences, each with the tool that it shows."""
    return examples_for(agent or default_assistant())


def is_demo(agent: Agent | None = None) -> bool:
    """Whether it answers by rules, without a model."""
    return model_name(agent or default_assistant()).partition(":")[0] == "demo"


def model_label(agent: Agent | None = None) -> str:
    """The model's name without its vendor."""
    vendor, _, name = model_name(agent or default_assistant()).partition(":")
    return name or vendor


def model_of(name: str, chosen: str = "") -> str:
    """The model that a run of this assistant begins with, as its record names it; "" where it is gone."""
    try:
        return model_name(get_assistant(name), chosen or None)
    except UserError:
        return ""


@cache
def _assistants(model: str, paths: tuple[str, ...]) -> dict[str, Agent]:
    agents = [agent for path in paths for agent in load(path, model)] or [_builtin(model, "")]
    names = [agent.name for agent in agents]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ImproperlyConfigured(f"ASSISTANTS: more than one assistant is called {', '.join(twice)}.")
    return dict(zip(names, agents, strict=True))


_builtin = cache(builtin)
