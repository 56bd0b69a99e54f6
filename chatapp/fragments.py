"""Pieces of a conversation as HTML: a turn, the row of a step, and what the log adds to its tool frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils import timezone

from chatapp.history.short import short_arguments, short_result
from chatapp.history.turns import StepState, TextPart, ToolStep, Turn
from chatapp.models import Thread
from chatapp.rendered import Blocks, html_of


def texts_of(thread_id: UUID, turns: Iterable[Turn]) -> dict[str, Blocks]:
    """The HTML of every text in these turns: the `texts` of the templates. One query for all of them."""
    parts = (part for turn in turns for part in turn.parts)
    return html_of(thread_id, (part.text for part in parts if isinstance(part, TextPart) and not part.open))


def render_turn(turn: Turn, *, thread: Thread, request: HttpRequest | None = None) -> str:
    context = {"turn": turn, "thread": thread, "texts": texts_of(thread.id, [turn])}
    return render_to_string("chatapp/conversation/_turn.html", context, request)


def render_step(step: ToolStep) -> str:
    return render_to_string("chatapp/conversation/_step.html", {"part": step}).strip()


def decorate_frame(frame: Mapping[str, Any]) -> dict[str, Any]:
    """What a tool frame carries for the page: the row of its step."""
    step = called(frame) if frame["type"] == "tool_call" else returned(frame)
    return {"html": render_step(step)}


def called(frame: Mapping[str, Any]) -> ToolStep:
    starts = frame.get("started", True)
    return _step(frame, "running" if starts else "queued", started_at=timezone.now() if starts else None)


def returned(frame: Mapping[str, Any]) -> ToolStep:
    output = str(frame["output"])
    return _step(
        frame,
        "error" if frame["is_error"] else "done",
        output=output,
        output_short=short_result(output),
        seconds=frame.get("seconds"),
    )


def _step(frame: Mapping[str, Any], state: StepState, **fields: Any) -> ToolStep:
    arguments = str(frame.get("arguments") or "")
    return ToolStep(
        call_id=frame["call_id"],
        name=frame["name"],
        arguments=arguments,
        arguments_short=short_arguments(arguments),
        state=state,
        index=frame.get("index"),
        **fields,
    )
