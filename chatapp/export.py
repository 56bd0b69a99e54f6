"""A whole thread as JSON or as Markdown, for people to take away. Everything that is stored is in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, assert_never

from django.utils.translation import gettext as _

from agents.session import Segment
from agents.stores.orm import sessions
from agents.stores.orm.checkpoints import InFlight
from agents.transcript import UnreadableEntry, entry_to_dict
from chatapp.eventlog import partial_text
from chatapp.history.pages import load_all
from chatapp.history.reading import FlightRead, read_flight, read_steadily, status_of
from chatapp.history.turns import (
    HandoverPart,
    Message,
    Part,
    PreparingPart,
    ReasoningPart,
    TextPart,
    ToolStep,
    Turn,
    UnreadablePart,
)
from chatapp.lifecycle.queue import queue_of
from chatapp.models import Thread


def thread_as_json(thread: Thread) -> dict[str, Any]:
    """The shape that `CONTRACT` names; entries and meta exactly as they are stored."""

    def read(run: InFlight | None) -> dict[str, Any]:
        segments = sessions.segments(thread.session_id)
        flight = read_flight(thread.id, run, limit=run.next_index) if run else None
        return {
            "thread": facts_of(thread),
            "segments": [segment_as_json(segment) for segment in segments],
            "in_flight": flight_as_json(flight) if flight else None,
            "queue": queue_of(thread, run),
        }

    return read_steadily(thread.session_id, read)


def facts_of(thread: Thread) -> dict[str, Any]:
    return {
        "id": str(thread.id),
        "title": thread.title,
        "assistant": thread.assistant,
        "model": thread.model,
        "created_at": thread.created_at.isoformat(),
        "updated_at": thread.updated_at.isoformat(),
    }


def segment_as_json(segment: Segment) -> dict[str, Any]:
    entries = [entry_to_dict(entry) for entry in segment.entries]
    return {"run_id": segment.run_id, "meta": segment.meta, "entries": entries}


def flight_as_json(flight: FlightRead) -> dict[str, Any]:
    readable = [entry for _, entry in flight.entries if not isinstance(entry, UnreadableEntry)]
    return {
        "run_id": flight.run.run_id,
        "status": status_of(flight.run),
        "entries": [entry_to_dict(entry) for entry in readable],
        "partial_text": partial_text(flight.frames, flight.stored),
        "requests": [],
        "error": flight.run.head.error,
    }


def thread_as_markdown(thread: Thread) -> str:
    """For reading: messages, answers, thoughts and steps, in order."""
    blocks = [f"# {one_line(thread.title)}"]
    for turn in load_all(thread):
        blocks += turn_blocks(turn)
    return "\n\n".join(blocks) + "\n"


def turn_blocks(turn: Turn) -> Iterator[str]:
    if turn.message:
        yield from message_blocks(turn.message)
    if turn.has_answer or turn.state != "completed":
        yield "## " + (one_line(turn.assistant) or _("Answer"))
    for part in (*turn.parts, *turn.dropped):
        yield from part_blocks(part)
    ending = ending_of(turn)
    if ending:
        yield remark(ending)


def message_blocks(message: Message) -> Iterator[str]:
    yield "## " + _("You")
    if message.text:
        yield message.text
    for attachment in message.attachments:
        yield remark(_("Attached: %(name)s") % {"name": one_line(attachment.name)})


def part_blocks(part: Part) -> Iterator[str]:
    match part:
        case Message():
            yield from message_blocks(part)
        case TextPart():
            yield part.text
        case ReasoningPart():
            yield quoted(part.text)
        case ToolStep():
            yield from step_blocks(part)
        case HandoverPart():
            yield remark(_("Handed over to %(agent)s") % {"agent": one_line(part.agent)})
        case UnreadablePart():
            yield remark(_("One record here cannot be read (no. %(record)s).") % {"record": part.record})
        case PreparingPart():
            pass  # nothing of it is stored
        case _:
            assert_never(part)


def step_blocks(step: ToolStep) -> Iterator[str]:
    words = {
        "not_run": _("not run"),
        "may_have_run": _("stopped while it ran; it may have taken effect"),
        "open": _("no result"),
        "error": _("failed"),
    }
    state = words.get(step.state)
    yield f"**{one_line(step.name)}**" + (f" ({state})" if state else "")
    yield fenced(step.arguments, "json")
    if step.output is not None:
        yield fenced(step.output)


def ending_of(turn: Turn) -> str:
    match turn.state:
        case "stopped":
            return _("Stopped by you. The text up to here is saved.")
        case "interrupted" | "interrupted_open":
            return _("This answer was interrupted.")
        case "failed" | "failed_open":
            reason = one_line(str((turn.error or {}).get("message") or ""))
            return " ".join([_("The answer broke off."), reason]).strip()
        case "running":
            return _("This answer is being written.")
        case "waiting":
            return _("This answer waits for a decision.")
        case "completed":
            return ""
        case _:
            assert_never(turn.state)


def remark(text: str) -> str:
    return f"*{text}*"


def fenced(text: str, language: str = "") -> str:
    """A code block whose fence is longer than any in the text."""
    longest = max((len(ticks) for ticks in re.findall("`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def one_line(text: str) -> str:
    return " ".join(text.split())
