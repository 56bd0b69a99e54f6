"""What the templates of the conversation need beyond Django's own filters."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime

from django import template
from django.utils import formats, timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, ngettext, pgettext

from agents.transcript import clean_json
from chatapp.assistants.builtin import DEMO_NAME, MODEL_NAME
from chatapp.history.reasons import failure, said
from chatapp.history.turns import (
    Part,
    PreparingPart,
    Progress,
    ReasoningPart,
    Recover,
    StepGroup,
    TextPart,
    ToolStep,
    Turn,
)
from chatapp.render import OpenBlock, render_blocks, render_partial

register = template.Library()
register.filter(failure)
register.filter(said)

FOLDED_LINES = 12  # of a message
LINE = 72  # characters of a message that stand on one line, roughly
FOLDED_OUTPUT = 20  # lines of arguments or of a result
SHOWN_OUTPUT = 10_000  # characters of one of them; the rest has a page of its own
NBSP = "\u00a0"


@register.simple_tag(takes_context=True)
def blocks_of(context: template.Context, part: TextPart) -> list[SafeString]:
    """The HTML of a text, from the texts that the view has prepared (`texts`) if it is among them."""
    texts: Mapping[str, list[str]] = context.get("texts") or {}
    blocks = texts.get(part.text)
    return _safe(render_blocks(part.text) if blocks is None else blocks)


@register.simple_tag
def live_blocks_of(part: TextPart) -> dict[str, list[SafeString] | OpenBlock]:
    """The closed blocks of a text that is being written, and the open one."""
    closed, open_block = render_partial(part.text)
    return {"closed": _safe(closed), "open": open_block}


def _safe(blocks: list[str]) -> list[SafeString]:
    return [mark_safe(block) for block in blocks]  # noqa: S308  # chatapp.render has cleaned it


@register.filter
def is_waiting(turn: Turn) -> bool:
    """Whether a live answer has nothing to show for the moment: the page says what it waits for."""
    if turn.retry or turn.resuming:
        return True
    return not any(_is_live(part) for part in turn.parts)


def _is_live(part: Part) -> bool:
    match part:
        case TextPart() | ReasoningPart():
            return part.open
        case ToolStep():
            return part.state in ("running", "queued")
        case _:
            return isinstance(part, PreparingPart)


@register.filter
def moment(value: datetime | None) -> str:
    """14:32 today, else with its day."""
    if value is None:
        return ""
    local, today = timezone.localtime(value), timezone.localdate()
    clock = formats.date_format(local, "H:i")
    if local.date() == today:
        return clock
    day = "MONTH_DAY_FORMAT" if local.year == today.year else "DATE_FORMAT"
    return gettext("{day}, {time}").format(day=formats.date_format(local, day), time=clock)


@register.filter
def duration(seconds: float | None) -> str:
    """6.1 s, 21 s, 2 min 5 s: the number with its unit, never torn apart."""
    if seconds is None:
        return ""
    if seconds < 9.95:
        return gettext("%s s").replace(" ", NBSP) % formats.number_format(max(seconds, 0.1), 1)
    return whole_duration(seconds)


@register.filter
def whole_duration(seconds: float | None) -> str:
    """4 s, 2 min 5 s: at least one second."""
    if seconds is None:
        return ""
    minutes, rest = divmod(max(1, round(seconds)), 60)
    if not minutes:
        return gettext("%s s").replace(" ", NBSP) % formats.number_format(rest)
    words = gettext("%(minutes)s min %(seconds)s s").replace(" ", NBSP)
    return words % {"minutes": formats.number_format(minutes), "seconds": rest}


@register.filter
def pretty(text: str) -> str:
    """JSON on one line if it fits, else indented; anything else as it came."""
    if len(text) > SHOWN_OUTPUT:
        return text
    try:
        value = clean_json(json.loads(text))  # an escape may stand for what no text may hold
        line = json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text
    if not isinstance(value, dict | list):
        return text
    return line if len(line) <= LINE else json.dumps(value, ensure_ascii=False, indent=2)


@register.filter
def is_too_much(text: str) -> bool:
    """Whether a page shows only the beginning of arguments or of a result."""
    return len(text) > SHOWN_OUTPUT


@register.filter
def shown(text: str) -> str:
    return text if len(text) <= SHOWN_OUTPUT else text[:SHOWN_OUTPUT] + "…"


@register.filter
def is_long(text: str) -> bool:
    """Whether arguments or a result are folded."""
    return text.count("\n") >= FOLDED_OUTPUT or len(text) > FOLDED_OUTPUT * LINE


@register.filter
def size(text: str) -> str:
    """48 KB"""
    return gettext("%s KB").replace(" ", NBSP) % formats.number_format(
        max(1, round(len(text.encode()) / 1024))
    )


@register.filter
def folded_lines(text: str) -> int:
    """How many lines a message has if it is folded, else 0. A long line counts by its length."""
    lines = sum(1 + len(line) // LINE for line in text.split("\n"))
    return lines if lines > FOLDED_LINES else 0


@register.filter
def answer_name(turn: Turn) -> str:
    """The heading of an answer for those who hear the page: "Demo assistant, stopped"."""
    name = assistant_name(turn.assistant)
    words = {
        "stopped": gettext("stopped"),
        "interrupted_open": gettext("interrupted"),
        "interrupted": gettext("interrupted"),
        "failed_open": gettext("failed"),
        "failed": gettext("failed"),
        "running": gettext("writing"),
        "waiting": gettext("needs you"),
    }
    if turn.state not in words:
        return name
    # Translators: an answer and how it stands, for those who hear the page: "Demo assistant, stopped"
    return gettext("{name}, {state}").format(name=name, state=words[turn.state])


@register.filter
def assistant_name(name: str | None) -> str:
    """Those of the house have a name in every language; others are called as their makers call them."""
    ours = {"": gettext("Assistant"), MODEL_NAME: gettext("Assistant"), DEMO_NAME: gettext("Demo assistant")}
    return ours.get(name or "", name or "")


@register.filter
def saved_words(recover: Recover) -> str:
    """What is stored of an answer that was interrupted, in one sentence."""
    steps = recover.finished_steps
    if recover.has_text and steps:
        return ngettext(
            "Your message, the text and one finished step are saved.",
            "Your message, the text and %(steps)s finished steps are saved.",
            steps,
        ) % {"steps": steps}
    if steps:
        return ngettext(
            "Your message and one finished step are saved.",
            "Your message and %(steps)s finished steps are saved.",
            steps,
        ) % {"steps": steps}
    if recover.has_text:
        return gettext("Your message and the text are saved.")
    return gettext("Your message is saved.")


@register.filter
def names(tools: tuple[str, ...]) -> SafeString:
    """a, b and c, in bold"""
    *first, last = (format_html("<strong>{}</strong>", tool) for tool in tools)
    if not first:
        return last
    # Translators: between the names of a list, all but the last
    between = pgettext("between names", ", ")
    listed = format_html_join(between, "{}", ((name,) for name in first))
    return format_html(gettext("{first} and {last}"), first=listed, last=last)


@register.filter
def failed_steps(group: StepGroup) -> int:
    return sum(step.is_error for step in group.tools)


@register.filter
def number(value: float) -> str:
    return formats.number_format(value, use_l10n=True, force_grouping=True)


@register.filter
def progress_note(progress: Progress | None) -> str:
    """3 of 5 · Dorn & Söhne"""
    if progress is None:
        return ""
    counted = (
        f"{progress.done:g}"
        if progress.total is None
        else gettext("%(done)s of %(total)s") % {"done": f"{progress.done:g}", "total": f"{progress.total:g}"}
    )
    return f"{counted} · {progress.note}" if progress.note else counted
