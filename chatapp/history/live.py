"""What the event log shows of a run beyond its stored entries. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from chatapp.eventlog.frames import CONTENT, Frame
from chatapp.eventlog.partial import PartialText, partial_of
from chatapp.history.turns import Part, PreparingPart, Progress, ReasoningPart, Retry, TextPart, ToolStep


@dataclass(frozen=True, slots=True)
class Tail:
    parts: tuple[Part, ...] = ()
    progress: dict[str, Progress] = field(default_factory=dict)
    retry: Retry | None = None
    resuming: bool = False

    def onto(self, parts: Iterable[Part]) -> list[Part]:
        """The stored parts, with the progress of the calls that run."""
        return [self._with_progress(part) if isinstance(part, ToolStep) else part for part in parts]

    def _with_progress(self, step: ToolStep) -> ToolStep:
        progress = self.progress.get(step.call_id)
        return replace(step, progress=progress) if progress and step.state == "running" else step


def read_tail(frames: Sequence[Frame], *, stored: int, live: bool) -> Tail:
    """What is shown of a run and not stored: partial texts, and while it lives what it is about to do."""
    texts = partial_of(frames, stored)
    if not live:
        return Tail(parts=tuple(_part(text, open=False) for text in texts if text.text))
    preparing = preparing_of(frames, stored)
    parts = [_part(text, open=text is texts[-1] and not preparing) for text in texts if text.text]
    return Tail((*parts, *preparing), progress_of(frames), retry_of(frames), is_resuming(frames))


def _part(text: PartialText, *, open: bool) -> Part:
    if text.kind == "text":
        return TextPart(text.index, text.text, partial=True, open=open)
    return ReasoningPart(text.index, text.text, open=open)


def preparing_of(frames: Iterable[Frame], stored: int) -> list[PreparingPart]:
    """Calls whose arguments are being written; a stored call, a withdrawal or another start ends them."""
    slots: dict[int, PreparingPart] = {}
    for frame in frames:
        if frame["type"] == "tool_preparing":
            slots[frame["slot"]] = PreparingPart(frame["name"], frame["slot"])
        elif frame["type"] in ("tool_call", "text_withdrawn", "retry", "run_started"):
            slots.clear()
    return list(slots.values())


def progress_of(frames: Iterable[Frame]) -> dict[str, Progress]:
    """The newest progress of each call."""
    return {
        frame["call_id"]: Progress(frame["done"], frame.get("total"), frame.get("note") or "")
        for frame in frames
        if frame["type"] == "tool_progress"
    }


def retry_of(frames: Sequence[Frame]) -> Retry | None:
    """The attempt that is being waited for: a retry after which nothing came yet."""
    for frame in reversed(frames):
        if frame["type"] in CONTENT or frame["type"] == "text_withdrawn":
            return None
        if frame["type"] == "retry":
            return Retry(frame["attempt"], frame["of"])
    return None


def is_resuming(frames: Sequence[Frame]) -> bool:
    """Picked up again, and nothing came yet."""
    for frame in reversed(frames):
        if frame["type"] in CONTENT or frame["type"] in ("text_withdrawn", "tool_result"):
            return False
        if frame["type"] == "run_started":
            return bool(frame.get("resumed"))
    return False
