"""Cursors of pages are opaque to whoever carries them; one that we never made is the caller's mistake."""

from agents.errors import UserError


class BadCursor(UserError):
    """A `before` that names no place in this thread or list (400)."""

    hint = "Reload the page."

    def __init__(self) -> None:
        super().__init__("This page of the list does not exist.")
