"""The HTTP side: one session per event loop, and its troubles as ProviderError."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp

from agents.errors import ProviderError
from agents.providers.failures import message_and_code, provider_error, retry_after
from agents.providers.loops import PerLoop
from agents.providers.openai.config import ServerConfig

NETWORK_TROUBLE = (aiohttp.ClientError, TimeoutError, OSError)
MAX_ERROR_BODY = 64 * 1024


class Connections:
    """The way to one server."""

    def __init__(self, config: ServerConfig) -> None:
        self.config = config
        self._sessions = PerLoop(self._new_session)

    async def close(self) -> None:
        """Closes the session of the running event loop. The next request opens another."""
        await self._sessions.close()

    async def post(self, body: bytes) -> aiohttp.ClientResponse:
        """The answer to a request, its body unread. ProviderError for every other than 200."""
        session = await self._sessions.get()
        url = f"{self.config.base_url}/chat/completions"
        try:
            response = await session.post(url, data=body, allow_redirects=False)
        except NETWORK_TROUBLE as error:
            raise self.trouble(error) from error
        if response.status == 200 and response.content_type != "text/html":
            return response
        try:
            raise await self._refusal(response)
        finally:
            response.close()

    def trouble(self, error: Exception, request_id: str | None = None) -> ProviderError:
        """What the network did. All of it may pass, but for an address or a certificate that is wrong."""
        where = urlsplit(self.config.base_url).netloc.rpartition("@")[2] or self.config.base_url
        lasting = isinstance(error, aiohttp.InvalidURL | aiohttp.ClientConnectorCertificateError)
        if isinstance(error, aiohttp.ServerTimeoutError) and not isinstance(
            error, aiohttp.ConnectionTimeoutError
        ):
            said = f"The model server sent nothing for {self.config.idle_timeout:g} seconds."
        elif isinstance(error, aiohttp.ClientConnectorError | aiohttp.InvalidURL | TimeoutError):
            said = f"The model server at {where} cannot be reached."
        else:
            said = "The connection to the model server broke off."
        hint = "Check OPENAI_BASE_URL, and that the server runs." if self.config.is_custom else "Try again."
        return ProviderError(said, hint=hint, code="connection", request_id=request_id, retryable=not lasting)

    async def _new_session(self) -> aiohttp.ClientSession:
        config = self.config
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream, application/json"}
        headers["Accept-Encoding"] = "identity"  # a compressed stream arrives in lumps
        if config.api_key:
            headers["Authorization"] = f"Bearer {config.api_key}"
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0),
            timeout=aiohttp.ClientTimeout(
                total=None, connect=config.connect_timeout, sock_read=config.idle_timeout
            ),
            headers=headers,
            proxy=_proxy_for(config.base_url),
            cookie_jar=aiohttp.DummyCookieJar(),
        )

    async def _refusal(self, response: aiohttp.ClientResponse) -> ProviderError:
        message, code = message_and_code(await _error_body(response))
        status = response.status
        return provider_error(
            f"The model server answered {status}: {message or response.reason or 'no reason given'}",
            status=status,
            code=code,
            hint=self._hint(status),
            request_id=request_id_of(response),
            retry_after=retry_after(response.headers),
        )

    def _hint(self, status: int) -> str:
        if status in (401, 403):
            return "Check OPENAI_API_KEY." if self.config.api_key else "Set OPENAI_API_KEY."
        if status == 429:
            return "The server limits how often it may be asked; try again in a while."
        if status == 404 or status < 400 or status == 405:
            return "Check the model's name and OPENAI_BASE_URL, which often ends with /v1."
        return "Try again." if status >= 500 else ""


def request_id_of(response: aiohttp.ClientResponse) -> str | None:
    return response.headers.get("x-request-id") or response.headers.get("request-id")


async def _error_body(response: aiohttp.ClientResponse) -> Any:
    """JSON where it is some, else the beginning of the text; a page of HTML says nothing."""
    try:
        text = (await response.content.read(MAX_ERROR_BODY)).decode("utf-8", "replace")
    except NETWORK_TROUBLE:
        return ""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return "" if text.lstrip().startswith("<") else text.strip()[:300]


def _proxy_for(url: str) -> str | None:
    """The proxy that the environment names, looked up once (aiohttp would do it for every request)."""
    parts = urlsplit(url)
    if not parts.hostname or proxy_bypass(parts.hostname):
        return None
    return getproxies().get(parts.scheme)
