"""Models of pydantic-ai: made from a name, with a plain word when that cannot be."""

from __future__ import annotations

from typing import Any, cast

from pydantic_ai.exceptions import UserError as PydanticUserError
from pydantic_ai.models import Model, infer_model

from agents.errors import ProviderError

IDLE_TIMEOUT = 120.0


def build_model(name: str) -> Model:
    """The model of a "vendor:name". ProviderError: no such vendor, no key, or no package for it."""
    try:
        return infer_model(name)
    except PydanticUserError as error:
        code = "no_api_key" if "API" in str(error) else "unknown_model"
        raise ProviderError(f"The model {name} cannot be used.", code=code, hint=str(error)) from error
    except ImportError as error:
        raise ProviderError(
            f"The package for the model {name} is not installed.", code="not_installed", hint=str(error)
        ) from error


def profile_of(model: Model) -> dict[str, Any]:
    """What pydantic-ai knows of the model; nothing for one that chooses among several."""
    try:
        profile = cast("dict[str, Any]", model.profile)
    except NotImplementedError:
        return {}
    # Otherwise a stream that lost its end is reported as one that ended by itself.
    profile["openai_chat_streaming_requires_finish_reason"] = True
    return profile


def default_settings(model: Model) -> dict[str, Any]:
    """The retries are ours. Models that ignore a setting warn about it, so it is not sent to these."""
    wanted = {"timeout": IDLE_TIMEOUT, "max_retries": 0}
    return {name: value for name, value in wanted.items() if name not in model.unsupported_settings}
