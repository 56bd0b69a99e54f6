"""What went wrong with a model server, as our own errors: what may pass by itself, what means "too long"."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from agents.errors import ContextOverflow, ProviderError

_TRANSIENT_STATUSES = {408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529}
_LASTING_CODES = {"insufficient_quota", "billing_hard_limit_reached", "invalid_api_key", "model_not_found"}
_OVERFLOW_CODES = {"context_length_exceeded", "exceed_context_size_error", "string_above_max_length"}
_OVERFLOW = re.compile(
    r"maximum context|context[ _-](length|window|size)|prompt is too long|too many (input )?tokens"
    r"|input (token count|length|is too long)|reduce the length"
    r"|exceeds? the (maximum|limit|model).{0,40}tokens",
    re.IGNORECASE,
)
_KEY = re.compile(r"\b(?:sk|rk|pk|gsk|xai)-[\w*-]{8,}|\bAIza[\w-]{20,}|(?<=Bearer )\S+")
_LIMIT_PER_MINUTE = re.compile(r"per[ -](minute|hour|day)|rate limit", re.IGNORECASE)


def provider_error(
    message: str,
    *,
    status: int | None = None,
    code: str | None = None,
    hint: str = "",
    request_id: str | None = None,
    retryable: bool | None = None,
    retry_after: float | None = None,
) -> ProviderError:
    """A ProviderError, or a ContextOverflow where the server says so. No `retryable`: the status decides."""
    overflow = is_overflow(message, status=status, code=code)
    if retryable is None:
        retryable = is_transient(status, code)
    return (ContextOverflow if overflow else ProviderError)(
        without_keys(message),
        hint=hint,
        status=status,
        code=code,
        request_id=request_id,
        retryable=retryable and not overflow,
        retry_after=retry_after,
    )


def without_keys(message: str) -> str:
    """Some servers repeat the key that they refuse; what an error says is stored and shown."""
    for name, value in os.environ.items():
        if name.endswith("_API_KEY") and len(value) >= 8:
            message = message.replace(value, "…")
    return _KEY.sub("…", message)


def is_transient(status: int | None, code: str | None) -> bool:
    return status in _TRANSIENT_STATUSES and code not in _LASTING_CODES


def is_overflow(message: str, *, status: int | None, code: str | None) -> bool:
    """Vendors have no common code for "longer than the context": in a refused request their words decide."""
    if code in _OVERFLOW_CODES:
        return True
    refused = status in (None, 400, 413, 422)
    return refused and bool(_OVERFLOW.search(message)) and not _LIMIT_PER_MINUTE.search(message)


def cut_stream(request_id: str | None = None) -> ProviderError:
    """The stream ended, but the model had not."""
    return ProviderError(
        "The model's answer broke off in the middle.",
        code="stream_cut",
        hint="Try again.",
        request_id=request_id,
        retryable=True,
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait, be it said in milliseconds, in seconds or as a date."""
    if (milliseconds := _number(headers.get("retry-after-ms"))) is not None:
        return milliseconds / 1000
    said = headers.get("retry-after")
    if said is None or (seconds := _number(said)) is not None:
        return seconds if said is not None else None
    try:
        until = parsedate_to_datetime(said)
    except ValueError:
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (until - datetime.now(UTC)).total_seconds())


def message_and_code(body: Any) -> tuple[str, str | None]:
    """What an error body says, in any of the shapes that servers use."""
    if isinstance(body, list):
        body = body[0] if body else {}
    if not isinstance(body, Mapping):
        return (_for_people(body) if isinstance(body, str) else ""), None
    error = body.get("error")
    if isinstance(error, Mapping):
        return message_and_code(error)
    text = next((body[key] for key in ("message", "detail", "error") if isinstance(body.get(key), str)), "")
    code = next((body[key] for key in ("code", "type") if isinstance(body.get(key), str | int)), None)
    return _for_people(text or (str(body) if body else "")), None if code is None else str(code)


def _for_people(text: str) -> str:
    """Some servers answer with the traceback of their own code."""
    return text.partition("Traceback (most recent call last)")[0].strip()


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text is not None else None
    except ValueError:
        return None
    return value if value is None or 0 <= value < 1e6 else None
