"""Text from people, at the border."""

from __future__ import annotations

from django.utils.translation import gettext as _

from agents.transcript import clean_text
from chatapp.models.thread import TITLE_LIMIT
from chatapp.services.errors import Invalid

MESSAGE_LIMIT = 1_000_000


def message_text(text: str) -> str:
    """A message as it is stored. Raises Invalid where it is blank or too long (in characters)."""
    cleaned = clean_text(text)
    if not cleaned.strip():
        raise Invalid(_("The message is empty."), hint=_("Write something, then send."))
    if len(cleaned) > MESSAGE_LIMIT:
        over = len(cleaned) - MESSAGE_LIMIT
        raise Invalid(
            _("The message is %s characters too long.") % f"{over:,}", hint=_("Shorten it, then send again.")
        )
    return cleaned


def title_text(title: str) -> str:
    """A title that a person has typed. Raises Invalid where it is blank or longer than 80 characters."""
    cleaned = " ".join(clean_text(title).split())
    if not cleaned:
        raise Invalid(_("The title is empty."), hint=_("Write a title."))
    if len(cleaned) > TITLE_LIMIT:
        raise Invalid(_("The title is longer than %s characters.") % TITLE_LIMIT, hint=_("Shorten it."))
    return cleaned


def title_of(text: str) -> str:
    """A title made of a first message: its first line, cut at a word where it is long."""
    line = " ".join(next((line for line in text.splitlines() if line.strip()), "").split())
    if len(line) <= TITLE_LIMIT:
        return line
    cut = line[: TITLE_LIMIT - 1]
    head, space, _ = cut.rpartition(" ")
    return (head if space and len(head) > TITLE_LIMIT // 2 else cut).rstrip() + "…"
