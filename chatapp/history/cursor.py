"""Cursors of pages. Opaque to whoever carries them; one that we never made is the caller's mistake."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from agents.errors import UserError
from agents.transcript import clean_text


class BadCursor(UserError):
    """A `before` that names no place in this thread or list (400)."""

    def __init__(self) -> None:
        super().__init__(_("There is no such page here."), hint=_("Reload the page."))


@dataclass(frozen=True, slots=True)
class FlightCursor:
    """Right before the entry `index` of a run that was in flight when the page was made."""

    run_id: str
    index: int

    def __str__(self) -> str:
        return f"{self.index}@{self.run_id}"

    @classmethod
    def parse(cls, text: str) -> FlightCursor | None:
        """None for a cursor of another kind. Raises BadCursor."""
        index, at, run_id = text.partition("@")
        if not at or not run_id or not index.isascii() or not index.isdigit() or len(index) > 9:
            return None
        if clean_text(run_id) != run_id:
            raise BadCursor  # no run is called that, and PostgreSQL does not even look for it
        return cls(run_id, int(index))
