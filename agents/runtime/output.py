"""The final answer as the type that the caller asked for, and as JSON for the checkpoint and the events."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticUserError
from pydantic_core import to_jsonable_python

from agents.errors import OutputInvalid, UserError
from agents.tools.schema import describe_misfit, schema_of
from agents.transcript import AssistantTextEntry, Entry, InputEntry, clean_json

_FENCED = re.compile(r"\A\s*```(?:json)?\s*\n(.*)\n\s*```\s*\Z", re.DOTALL)


def output_schema(output_type: Any) -> dict[str, Any] | None:
    """None: free text."""
    return None if output_type in (None, str) else schema_of(_adapter(output_type))


def parse_output(text: str, output_type: Any) -> Any:
    """OutputInvalid, with what is wrong in words for the model, if the text does not fit."""
    if output_type in (None, str):
        return text
    fenced = _FENCED.match(text)
    try:
        return _adapter(output_type).validate_json(fenced[1] if fenced else text)
    except ValidationError as error:
        raise OutputInvalid(
            f"The answer does not fit what was asked for. {describe_misfit(error)}"
        ) from error


def revive_output(stored: Any, output_type: Any) -> Any:
    """The output of a stored run. What no longer fits the type comes back as it was stored."""
    if output_type in (None, str):
        return stored
    try:
        return _adapter(output_type).validate_python(stored)
    except ValidationError:
        return stored


def storable_output(output: Any) -> Any:
    return clean_json(to_jsonable_python(output, fallback=str))


def repair_request(text: str, problem: str) -> list[Entry]:
    """What goes behind the transcript, for one request only: the answer, and what is wrong with it."""
    prompt = f"{problem} Answer again, with JSON of the schema that was asked for and nothing else."
    return [AssistantTextEntry(text), InputEntry("user", prompt)]


@lru_cache(maxsize=256)
def _adapter(output_type: Any) -> TypeAdapter[Any]:
    try:
        return TypeAdapter(output_type)
    except PydanticUserError as error:
        raise UserError(f"{output_type!r} cannot be an output type: {error}") from error
