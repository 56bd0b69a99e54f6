"""The border to the models: one request in, a stream of deltas out. And the registry that turns a name into a
provider."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

from agents.deltas import Delta
from agents.errors import UserError
from agents.transcript import Entry


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """What a model is told of a tool. `parameters` is a JSON schema of type object."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """All that a provider needs for one turn. `entries` are whole already: every call is followed by its
    result.

    `output_schema`: the answer must be JSON of this schema. `settings`: temperature, max_tokens and such,
    passed on as they are.
    """

    model: str
    system: str
    entries: list[Entry]
    tools: list[ToolSpec]
    run_id: str
    session_id: str | None = None
    output_schema: dict[str, Any] | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    user: str | None = None


@runtime_checkable
class Provider(Protocol):
    """One instance may serve many runs at once.

    `stream` yields what the model says as it says it, one FinishDelta last; a stream without one was cut, and
    is asked again as after a retryable ProviderError. Trouble is a ProviderError (ContextOverflow where the
    request was too long). When it is cancelled or closed it closes its connection at once. `name` marks the
    reasoning that this vendor signs.
    """

    @property
    def name(self) -> str: ...

    def stream(self, request: ModelRequest) -> AsyncIterator[Delta]: ...


ProviderFactory = Callable[[str], Provider]
"""Takes the vendor's name. Called for every look-up, so it keeps one instance per configuration itself."""

_factories: dict[str, ProviderFactory] = {}
_MODULES = {"demo": "agents.providers.demo", "openai": "agents.providers.openai"}
_EVERY_OTHER = "agents.providers.pydantic_ai"


def register_provider(vendor: str, factory: ProviderFactory) -> None:
    """Serve "vendor:…" by this factory from now on, in place of the built-in one if there is one."""
    _factories[vendor] = factory


def unregister_provider(vendor: str) -> None:
    """Back to the built-in provider of that name, if there is one."""
    _factories.pop(vendor, None)


def provider_for(model: str) -> tuple[Provider, str]:
    """The provider of a model name, and what that provider calls it: "demo", "openai:gpt-5", "anthropic:…".

    The first call for a vendor may import its module, which can take seconds: make it at the start of a
    process.
    """
    vendor, _, name = model.partition(":")
    if vendor == "demo" and not name:
        name = "demo"
    if not vendor or not name:
        raise UserError(
            f"{model!r} names no model.", hint='Write "demo" or "vendor:model", such as "openai:gpt-5".'
        )
    return _factory(vendor)(vendor), name


def _factory(vendor: str) -> ProviderFactory:
    if vendor not in _factories:
        module = import_module(_MODULES.get(vendor, _EVERY_OTHER))
        _factories[vendor] = module.provider
    return _factories[vendor]
