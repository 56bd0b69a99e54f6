"""Every other vendor, by pydantic-ai's model classes: "anthropic:NAME", "google:NAME", "mistral:NAME", …

Only `pydantic_ai.direct` is used, one request at a time: the loop is ours. pydantic-ai takes seconds to
import, so nothing here imports it before the first request, and then off the event loop.
"""

from agents.providers.pydantic_ai.provider import PydanticAIProvider, provider

__all__ = ["PydanticAIProvider", "provider"]
