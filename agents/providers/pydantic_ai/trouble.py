"""pydantic-ai's errors as ours."""

from __future__ import annotations

import httpx2
from pydantic_ai.exceptions import (
    AgentRunError,
    ContentFilterError,
    ModelAPIError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestRejectedError,
    ModelRequestTimeout,
    ModelServerError,
    ModelUnavailableError,
)
from pydantic_ai.exceptions import UserError as PydanticUserError

from agents.errors import ContextOverflow, ProviderError
from agents.providers.failures import is_transient, message_and_code, provider_error, retry_after

TROUBLE = (AgentRunError, PydanticUserError, httpx2.TransportError, httpx2.StreamError)
_PASSING = (
    ModelRateLimitError,
    ModelUnavailableError,
    ModelServerError,
    ModelConnectionError,
    ModelRequestTimeout,
)
_LASTING = (ModelRequestRejectedError, ModelQuotaExceededError, ContentFilterError, PydanticUserError)


def as_provider_error(error: Exception) -> ProviderError:
    """The same trouble in our words: whether it may pass, and what the vendor said about it."""
    if isinstance(error, ModelHTTPError):
        return _refusal(error)
    if isinstance(error, ModelContextWindowExceededError):
        return ContextOverflow(str(error), code=error.provider_error_code)
    code = error.provider_error_code if isinstance(error, ModelAPIError) else None
    wait = error.retry_after if isinstance(error, ModelAPIError) else None
    return provider_error(
        _message(error), code=code, retryable=not isinstance(error, _LASTING), retry_after=wait
    )


def _refusal(error: ModelHTTPError) -> ProviderError:
    said, code = message_and_code(error.body)
    headers = error.headers or {}
    passing = isinstance(error, _PASSING) or is_transient(error.status_code, code)
    overflow = isinstance(error, ModelContextWindowExceededError)
    return (ContextOverflow if overflow else provider_error)(
        f"The model server answered {error.status_code}: {said or error.message}",
        status=error.status_code,
        code=error.provider_error_code or code,
        request_id=headers.get("request-id") or headers.get("x-request-id"),
        retryable=passing and not isinstance(error, _LASTING),
        retry_after=retry_after(headers) if error.retry_after is None else error.retry_after,
    )


def _message(error: Exception) -> str:
    if isinstance(error, ModelConnectionError | httpx2.TransportError | httpx2.StreamError):
        return f"The connection to the model server broke off: {error}"
    return str(error)
