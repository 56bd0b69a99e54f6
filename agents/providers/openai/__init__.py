"""Any server that speaks the OpenAI chat completions, read by our own reader (a tenth of an SDK's CPU).

`OPENAI_BASE_URL` and `OPENAI_API_KEY` say which server; one of one's own often needs no key.
"""

from agents.providers.openai.config import ServerConfig
from agents.providers.openai.provider import OpenAIProvider, provider

__all__ = ["OpenAIProvider", "ServerConfig", "provider"]
