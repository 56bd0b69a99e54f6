"""The provider for every server that speaks the OpenAI chat completions."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

import aiohttp

from agents.aside import aside
from agents.deltas import Delta
from agents.errors import ContextOverflow, ProviderError
from agents.providers.base import ModelRequest
from agents.providers.openai.config import ServerConfig
from agents.providers.openai.connection import NETWORK_TROUBLE, Connections, request_id_of
from agents.providers.openai.messages import encode_request
from agents.providers.openai.reader import AnswerReader

_END_OF_BODY = 0.05
_providers: dict[ServerConfig, OpenAIProvider] = {}


class OpenAIProvider:
    """Asks one server. It may serve many runs, and several event loops, at once."""

    def __init__(self, config: ServerConfig | None = None, *, name: str = "openai") -> None:
        self.name = name
        self.config = config or ServerConfig.from_environment()
        self._connections = Connections(self.config)
        self._reports_usage: bool | None = None

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Closed or cancelled, it closes the connection at once: a server that still writes is told so."""
        response = await self._ask(request)
        reader = AnswerReader(name=self.name, request_id=request_id_of(response))
        try:
            if response.content_type == "application/json":
                for delta in reader.feed_whole(await _whole(response)):
                    yield delta
            else:
                async for data in response.content.iter_any():
                    for delta in reader.feed(data):
                        yield delta
                    if reader.is_done or reader.failure is not None:
                        break
                if reader.is_done:
                    await _read_to_end(response)
        except NETWORK_TROUBLE as error:
            if not reader.is_finished:
                raise self._connections.trouble(error, request_id_of(response)) from error
        finally:
            response.close()
        for delta in reader.end():
            yield delta

    async def close(self) -> None:
        """Closes what is open in the running event loop."""
        await self._connections.close()

    async def _ask(self, request: ModelRequest) -> aiohttp.ClientResponse:
        """Servers that do not know stream_options are asked again without, and then never with them again."""
        self._check_key()
        if self._reports_usage is False:
            return await self._post(request, ask_usage=False)
        try:
            response = await self._post(request, ask_usage=True)
        except ProviderError as error:
            if not self._may_be_the_options(error):
                raise
        else:
            self._reports_usage = True
            return response
        response = await self._post(request, ask_usage=False)
        self._reports_usage = False
        return response

    async def _post(self, request: ModelRequest, *, ask_usage: bool) -> aiohttp.ClientResponse:
        body = await aside(request.entries, lambda: encode_request(request, ask_usage=ask_usage))
        return await self._connections.post(body)

    def _may_be_the_options(self, error: ProviderError) -> bool:
        if error.status not in (400, 422) or isinstance(error, ContextOverflow):
            return False
        return self._reports_usage is None or "stream_options" in str(error)

    def _check_key(self) -> None:
        if not self.config.api_key and not self.config.is_custom:
            raise ProviderError(
                "No key for the model server.",
                code="no_api_key",
                hint="Set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own.",
            )


def provider(vendor: str = "openai") -> OpenAIProvider:
    """The one provider of this process for what the environment says now."""
    config = ServerConfig.from_environment()
    if config not in _providers:
        _providers[config] = OpenAIProvider(config, name=vendor)
    return _providers[config]


async def _whole(response: aiohttp.ClientResponse) -> Any:
    try:
        return json.loads(await response.read())
    except (ValueError, RecursionError):
        return None


async def _read_to_end(response: aiohttp.ClientResponse) -> None:
    """The end of the body usually is there already; a connection that was read to its end is used again."""
    try:
        async with asyncio.timeout(_END_OF_BODY):
            while await response.content.readany():
                pass
    except NETWORK_TROUBLE:
        return
