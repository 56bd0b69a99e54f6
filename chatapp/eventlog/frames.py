"""What the engine says, as frames for the socket. Pure: no rows, no rendering."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from agents import events
from agents.transcript import clean_text

Frame = dict[str, Any]

DELTAS = frozenset({"text_delta", "reasoning_delta"})
CONTENT = DELTAS | {"tool_preparing", "tool_call"}
UNHURRIED = DELTAS | {"tool_progress", "tool_preparing"}


def frame_of(event: events.Event) -> Frame | None:
    """The frame that shows an event; None for those that no page shows, or that the finish writes."""
    match event:
        case events.TextStreamed(index=index, text=text):
            return {"type": "text_delta", "index": index, "text": text}
        case events.ReasoningStreamed(index=index, text=text):
            return {"type": "reasoning_delta", "index": index, "text": text}
        case events.ToolCallStreaming(name=name, slot=slot):
            return {"type": "tool_preparing", "name": name, "slot": slot}
        case events.TextWithdrawn():
            return {"type": "text_withdrawn"}
        case events.Retrying(attempt=attempt, of=of, reason=reason):
            return {"type": "retry", "attempt": attempt, "of": of, "reason": reason}
        case events.HandedOver(agent=agent):
            return {"type": "handed_over", "agent": agent}
        case _:
            return _tool_frame(event)


def _tool_frame(event: events.Event) -> Frame | None:
    match event:
        case events.ToolCalled():
            return {
                "type": "tool_call",
                "index": event.index,
                "call_id": event.call_id,
                "name": event.name,
                "arguments": event.arguments,
                "started": event.started,
            }
        case events.ToolProgressed():
            return {
                "type": "tool_progress",
                "call_id": event.call_id,
                "done": _number(event.done) or 0.0,
                "total": _number(event.total),
                "note": clean_text(str(event.note)),
            }
        case events.ToolReturned():
            return {
                "type": "tool_result",
                "index": event.index,
                "call_id": event.call_id,
                "name": event.name,
                "output": event.output,
                "is_error": event.is_error,
                "seconds": event.seconds,
            }
        case _:
            return None


def _number(value: Any) -> float | None:
    """A tool says what it likes."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def merge_into(frames: list[Frame], frame: Frame) -> None:
    """Appends a frame; a delta that continues the last one is joined to it."""
    last = frames[-1] if frames else None
    if last and frame["type"] in DELTAS and last["type"] == frame["type"] and last["index"] == frame["index"]:
        last["text"] += frame["text"]
    elif last and frame["type"] == "tool_progress" == last["type"] and last["call_id"] == frame["call_id"]:
        frames[-1] = frame
    else:
        frames.append(frame)


def top_index(frames: Sequence[Frame], stored: int) -> int:
    """The highest entry index that the frames name; `stored` where they name none."""
    return max((frame["index"] for frame in frames if "index" in frame), default=stored)
