"""The border: what text and JSON from people, models and tools may look like inside.

CRLF becomes LF, NUL and unpaired surrogates become U+FFFD; two surrogates that meet become the character
they mean.
"""

from __future__ import annotations

import math
import re
from typing import Any

_REPLACEMENT = "\ufffd"
_DIRT = re.compile("\r\n|[\ud800-\udbff][\udc00-\udfff]|[\x00\ud800-\udfff]")
_HELD_BACK = re.compile("[\r\ud800-\udbff]\\Z")


def clean_text(text: str) -> str:
    if is_clean(text):
        return text
    return _DIRT.sub(_cleaned, text)


def is_clean(text: str) -> bool:
    """The common case, at the speed of a memory scan."""
    return "\x00" not in text and "\r\n" not in text and _is_encodable(text)


def clean_json(value: Any) -> Any:
    """The same for every string in a JSON value, keys too. NaN and infinities, which JSON lacks: None."""
    match value:
        case str():
            return clean_text(value)
        case dict():
            return {clean_json(key): clean_json(inner) for key, inner in value.items()}
        case list() | tuple():
            return [clean_json(inner) for inner in value]
        case float() if not math.isfinite(value):
            return None
    return value


class TextCleaner:
    """`clean_text` over deltas: half a pair, or a CR, at the end of one waits for what comes next."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        text = self._held + text
        self._held = text[-1] if _HELD_BACK.search(text) else ""
        return clean_text(text[:-1] if self._held else text)

    def flush(self) -> str:
        """What still waits, at the end of the stream."""
        held, self._held = self._held, ""
        return clean_text(held)


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _cleaned(found: re.Match[str]) -> str:
    dirt = found[0]
    if dirt == "\r\n":
        return "\n"
    if len(dirt) == 2:
        return dirt.encode("utf-16", "surrogatepass").decode("utf-16")
    return _REPLACEMENT
