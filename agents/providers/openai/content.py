"""Content that is more than text, as parts of a chat completions message."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from agents.transcript import Part

_AUDIO_FORMATS = {"audio/mpeg": "mp3", "audio/mp3": "mp3", "audio/wav": "wav", "audio/x-wav": "wav"}


def content_of(content: str | list[Part]) -> str | list[dict[str, Any]] | None:
    """None when it says nothing: servers refuse an empty message."""
    if isinstance(content, str):
        return content if content.strip() else None
    return [mapped for part in content if (mapped := _part(part)) is not None] or None


def _part(part: Part) -> dict[str, Any] | None:
    kind = part.get("type")
    if kind == "image":
        return (
            {"type": "image_url", "image_url": {"url": _url(part, "image/png")}} if _has_bytes(part) else None
        )
    if kind == "file":
        return _file(part) if _has_bytes(part) else None
    text = part.get("text", "")
    return {"type": "text", "text": text} if text.strip() else None


def _file(part: Part) -> dict[str, Any]:
    """Text goes in as text, which every model can read; what has only an address is named."""
    name, mime_type, data = part.get("name") or "file", part.get("mime_type", ""), part.get("data")
    if data is None:
        return {"type": "text", "text": f"[{name}]({part.get('url', '')})"}
    if mime_type.startswith("text/") and (text := _decoded(data)) is not None:
        return {"type": "text", "text": f"{name}:\n{text}"}
    if mime_type in _AUDIO_FORMATS:
        return {"type": "input_audio", "input_audio": {"data": data, "format": _AUDIO_FORMATS[mime_type]}}
    url = _url(part, "application/octet-stream")
    return {"type": "file", "file": {"filename": name, "file_data": url}}


def _has_bytes(part: Part) -> bool:
    return bool(part.get("data") or part.get("url"))


def _url(part: Part, mime_type: str) -> str:
    if data := part.get("data"):
        return f"data:{part.get('mime_type') or mime_type};base64,{data}"
    return part.get("url", "")


def _decoded(data: str) -> str | None:
    try:
        return base64.b64decode(data, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
