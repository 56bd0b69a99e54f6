"""The text in the content of a message, which may have attachments beside it."""

from __future__ import annotations

from agents.transcript import Part

Content = str | list[Part]


def text_of(content: Content) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content if part["type"] == "text")


def with_text(content: Content, text: str) -> Content:
    """The new text, with what was attached to the old one."""
    if isinstance(content, str):
        return text
    attached: list[Part] = [part for part in content if part["type"] != "text"]
    return [{"type": "text", "text": text}, *attached] if attached else text
