"""What the empty page offers to try: a sentence, and the tool that it shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy

from agents import Agent

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

    Words = str | _StrPromise


@dataclass(frozen=True, slots=True)
class Example:
    text: str
    tool: str


@dataclass(frozen=True, slots=True)
class Offer:
    """`needs`: the tool without which the sentence would promise too much; `tool`: what the page calls it."""

    text: Words
    tool: Words
    needs: str


# Translators: a translation must be a sentence that the demo assistant understands as well.
OFFERS = (
    Offer(gettext_lazy("What time is it in Tokyo, Lima and Berlin?"), gettext_lazy("clock"), needs="clock"),
    # Here % is a per cent sign. xgettext:no-python-format
    Offer(gettext_lazy("17.5 % of 2,480, and the sum"), gettext_lazy("calculator"), needs="calculator"),
    Offer(
        gettext_lazy("Keep a note: the alarm code changes on Friday"), gettext_lazy("notes"), needs="add_note"
    ),
    Offer(
        gettext_lazy("Run a slow job with five steps, so that I can stop it"),
        gettext_lazy("slow job"),
        needs="slow_job",
    ),
)


def examples_for(agent: Agent) -> list[Example]:
    """In the language that is active. None of those whose tool the agent lacks."""
    tools = {tool.name for tool in agent.tools}
    return [Example(str(offer.text), str(offer.tool)) for offer in OFFERS if offer.needs in tools]
