"""How messages are read: as one sentence without its end marks, or as the several requests that one makes."""

from __future__ import annotations

import re

from agents.providers.demo.talk import Talk

MAX_REQUESTS = 5
END_MARKS = "?？。.!！ \n"


def any_of(*patterns: str) -> re.Pattern[str]:
    """Alternatives, in any case and over several lines."""
    return re.compile("|".join(patterns), re.IGNORECASE | re.DOTALL)


VERBS = (
    "what|how|when|where|which|who|search|find|look|keep|make|note|add|put|save|remember|run|start|list|show"
    "|delete|remove|calculate|compute|tell|explain|give"
)
BREAKS = any_of(
    r"\s*[;；]\s*",
    r"[.?!]\s+(?:(?:and\s+)?then,?\s+)?(?-i:(?=[A-Z]))",
    r",?\s+(?:and\s+)?then,?\s+",
    r"[,.]?\s+after that,?\s+",
    rf",\s+and\s+(?=(?:{VERBS})\b)",
    r"[。？！]\s*(?:然后|接着|再|最后|并且)?",
    r"[，,]\s*(?:然后|接着|再|最后|并且?|同时)",
    r"\n+",
)


CONNECTIVE = any_of(r"^(?:and\s+)?(?:then|after that|finally),?\s+")
AROUND_QUERY = any_of(r"^(?:the|an?|my|our|some)\s+")
QUOTES = "“”\"'‘’「」 :："


def sentence(talk: Talk) -> str:
    return talk.text.strip().rstrip(END_MARKS)


def query_in(text: str) -> str:
    """What to search for, without quotation marks and articles."""
    return AROUND_QUERY.sub("", text.strip(QUOTES)).strip(QUOTES)


def requests_in(text: str) -> list[str]:
    """The parts that look like requests of their own. Whether they are, only the rules can tell."""
    parts = [CONNECTIVE.sub("", part.strip()) for part in BREAKS.split(text.strip())]
    parts = [part for part in parts if part.strip(f"{END_MARKS},，")]
    return parts if 1 < len(parts) <= MAX_REQUESTS else []
