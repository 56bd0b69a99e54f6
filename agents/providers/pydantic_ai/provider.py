"""The provider for a vendor that pydantic-ai knows."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from importlib import import_module
from typing import TYPE_CHECKING, Any

from agents.deltas import Delta
from agents.providers.base import ModelRequest
from agents.providers.loops import PerLoop

if TYPE_CHECKING:
    from pydantic_ai.models import Model

_providers: dict[str, PydanticAIProvider] = {}


class PydanticAIProvider:
    """One vendor. A model is built once per event loop, with the key that the vendor's own variable holds.

    `build` makes a model of "vendor:name"; tests, and programs with a client of their own, give theirs.
    """

    def __init__(self, vendor: str, *, build: Callable[[str], Model] | None = None) -> None:
        self.name = vendor
        self._build = build
        self._models: dict[str, PerLoop[Model]] = {}

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Closed or cancelled, it closes the connection at once."""
        turn = await _imported("turn")
        model = await self._model(request.model)
        async with aclosing(turn.stream_turn(model, request, vendor=self.name)) as deltas:
            async for delta in deltas:
                yield delta

    async def close(self) -> None:
        """Closes what is open in the running event loop."""
        for models in self._models.values():
            await models.close()

    async def _model(self, name: str) -> Model:
        if name not in self._models:
            build = self._build or (await _imported("models")).build_model
            self._models.setdefault(name, PerLoop(lambda: asyncio.to_thread(build, f"{self.name}:{name}")))
        return await self._models[name].get()


async def _imported(name: str) -> Any:
    module = f"{__package__}.{name}"
    return sys.modules.get(module) or await asyncio.to_thread(import_module, module)


def provider(vendor: str) -> PydanticAIProvider:
    """The one provider of this process for a vendor."""
    if vendor not in _providers:
        _providers[vendor] = PydanticAIProvider(vendor)
    return _providers[vendor]
