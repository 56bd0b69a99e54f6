"""Why an answer broke off, in the reader's language: what the engine and its own providers say in English."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from django.utils.translation import gettext, gettext_noop

SENTENCES = (
    gettext_noop("No key for the model server."),
    gettext_noop("Set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own."),
    gettext_noop("Check OPENAI_API_KEY."),
    gettext_noop("Set OPENAI_API_KEY."),
    gettext_noop("Check OPENAI_BASE_URL, and that the server runs."),
    gettext_noop("Check the model's name and OPENAI_BASE_URL, which often ends with /v1."),
    gettext_noop("The server limits how often it may be asked; try again in a while."),
    gettext_noop("The connection to the model server broke off."),
    gettext_noop("The model's answer broke off in the middle."),
    gettext_noop("The model server broke off with an error."),
    gettext_noop("The demo broke this answer off, as it was asked to."),
    gettext_noop("Retry goes on with it."),
    gettext_noop("Something broke on the server."),
    gettext_noop("Try again."),
    gettext_noop("The answer broke off before its end."),
)
WITH_VALUES = (
    gettext_noop("The model server at %(where)s cannot be reached."),
    gettext_noop("The model server sent nothing for %(seconds)s seconds."),
    gettext_noop("The model server answered %(answer)s"),
    gettext_noop("The model server's stream cannot be read: %(reason)s"),
    gettext_noop("The connection to the model server broke off: %(reason)s"),
    gettext_noop("The model %(name)s cannot be used."),
    gettext_noop("The package for the model %(name)s is not installed."),
    gettext_noop("The run took longer than %(seconds)s seconds."),
)
VALUE = re.compile(r"%\\\((\w+)\\\)s")


def failure(error: Mapping[str, Any] | None) -> str:
    """Why an answer broke off, in one sentence; the vendor's own words stand in the details."""
    status = (error or {}).get("status")
    if status in (401, 403):
        return gettext("The model’s server refused the key.")
    if status == 402 or (error or {}).get("code") == "insufficient_quota":
        return gettext("The account at the model’s vendor has no credit left.")
    if status == 404:
        return gettext("The model’s server does not know this model.")
    if status == 429:
        return gettext("The model’s server takes no more requests for now.")
    if isinstance(status, int) and status >= 500:
        return gettext("The model’s server has an error of its own.")
    return _reason_by_type(error or {})


def _reason_by_type(error: Mapping[str, Any]) -> str:
    match error.get("type"):
        case "ContextOverflow":
            return gettext("This chat has become too long for the model.")
        case "GuardrailTripped":
            return gettext("A rule of the assistant refused it.")
        case "OutputInvalid":
            return gettext("What the model wrote does not have the form that was asked for.")
        case "TurnLimitExceeded":
            return gettext("The assistant has taken as many steps as it may. Retry lets it go on.")
        case "StorageError":
            return gettext("The server could not save the answer.")
        case "ProviderError" if error.get("message"):
            return said(str(error["message"]))
        case _:
            return gettext("Something went wrong on the server.")


def said(text: str) -> str:
    """A sentence of the engine's own in the reader's language; what others say stays as it is."""
    for sentence, pattern in _patterns():
        if found := pattern.fullmatch(text):
            return gettext(sentence) % found.groupdict()
    return gettext(text) if text else ""


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    return [(one, re.compile(VALUE.sub(r"(?P<\1>.+)", re.escape(one)), re.DOTALL)) for one in WITH_VALUES]
