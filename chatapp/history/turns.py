"""What a person sees of a conversation, as plain data for the templates.

A turn is one run: the message that started it and the answer, part by part. Nothing here reads a database.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Literal
from uuid import UUID

TurnState = Literal[
    "completed",
    "stopped",
    "interrupted_open",  # still a checkpoint: resume, keep or discard
    "interrupted",  # kept, a segment
    "failed_open",
    "failed",
    "running",
    "waiting",
]
StepState = Literal[
    "running",
    "queued",  # the run lives, the call waits for the one before it
    "done",
    "error",
    "open",  # no result, and the run is not live
    "not_run",  # dropped at a fold, had not started
    "may_have_run",  # dropped at a fold while it ran
]
ThreadStatus = Literal["idle", "running", "waiting", "interrupted", "failed"]


@dataclass(frozen=True, slots=True)
class Attachment:
    name: str
    media_type: str
    url: str


@dataclass(frozen=True, slots=True)
class Message:
    """What the user said. `ref` is `<run_id>:<index>`, the address that edit and links use."""

    kind: ClassVar[Literal["message"]] = "message"

    ref: str
    text: str
    attachments: tuple[Attachment, ...] = ()
    sent_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class TextPart:
    """`partial`: the model did not get to the end of it. `open`: it is being written right now."""

    kind: ClassVar[Literal["text"]] = "text"

    index: int
    text: str
    partial: bool = False
    open: bool = False


@dataclass(frozen=True, slots=True)
class ReasoningPart:
    kind: ClassVar[Literal["reasoning"]] = "reasoning"

    index: int
    text: str
    seconds: float | None = None
    open: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    done: float
    total: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class ToolStep:
    """One tool call and what became of it. `arguments` is the model's JSON, the short forms are one line."""

    kind: ClassVar[Literal["step"]] = "step"

    call_id: str
    name: str
    arguments: str
    arguments_short: str
    state: StepState
    output: str | None = None
    output_short: str = ""
    seconds: float | None = None
    started_at: datetime | None = None
    progress: Progress | None = None
    index: int | None = None

    @property
    def is_error(self) -> bool:
        return self.state == "error"

    @property
    def is_finished(self) -> bool:
        return self.state in ("done", "error")


@dataclass(frozen=True, slots=True)
class PreparingPart:
    """A call whose arguments are still being written. Not stored; gone with the next frame or a stop."""

    kind: ClassVar[Literal["preparing"]] = "preparing"

    name: str
    slot: int


@dataclass(frozen=True, slots=True)
class HandoverPart:
    """The run went on with another agent."""

    kind: ClassVar[Literal["handover"]] = "handover"

    call_id: str
    agent: str


@dataclass(frozen=True, slots=True)
class UnreadablePart:
    kind: ClassVar[Literal["unreadable"]] = "unreadable"

    record: int


@dataclass(frozen=True, slots=True)
class StepGroup:
    """Three or more finished tool steps in a row, folded into one line. Thoughts between them are inside."""

    kind: ClassVar[Literal["group"]] = "group"

    steps: tuple[ToolStep | ReasoningPart, ...]

    @property
    def tools(self) -> tuple[ToolStep, ...]:
        return tuple(step for step in self.steps if isinstance(step, ToolStep))

    @property
    def seconds(self) -> float | None:
        known = [step.seconds for step in self.steps if step.seconds is not None]
        return sum(known) if known else None

    @property
    def has_error(self) -> bool:
        return any(step.is_error for step in self.tools)


# A later message inside one run (a run with several user inputs) is a part of its turn.
Part = TextPart | ReasoningPart | ToolStep | PreparingPart | HandoverPart | UnreadablePart | Message


@dataclass(frozen=True, slots=True)
class Retry:
    """The provider broke off and is asked again; the text shown so far is void as soon as new text comes."""

    attempt: int
    of: int


@dataclass(frozen=True, slots=True)
class Recover:
    """What the panel of an interrupted or failed run says. All names are tool names, in call order."""

    kind: Literal["interrupted", "failed"]
    at: datetime | None
    running: tuple[str, ...]  # calls that had started and have no result
    started_unrepeatable: tuple[
        str, ...
    ]  # of these, the ones that Resume runs a second time at the user's risk
    finished_steps: int
    has_text: bool


@dataclass(frozen=True, slots=True)
class Turn:
    """One run as the page shows it, or a piece of a very long one.

    A run that does not fit into a page is split: `starts` says whether its first entry is in this piece,
    `ends` whether its last one is. Only the piece that ends carries state line, panel and actions.
    """

    run_id: str
    state: TurnState
    message: Message | None
    parts: tuple[Part, ...]
    dropped: tuple[ToolStep, ...] = ()
    started_at: datetime | None = None
    finished_at: datetime | None = None
    seconds: float | None = None
    error: Mapping[str, Any] | None = None  # {"type", "message", "hint", "status"?, "request_id"?}
    assistant: str = ""
    model: str = ""
    usage: Mapping[str, Any] | None = None
    finish_reason: str = ""
    last: bool = False
    starts: bool = True
    ends: bool = True
    piece: int = 0  # index of this piece's first entry
    resuming: bool = False  # picked up again, nothing new was written yet
    stopping: bool = False  # a stop was asked for, and the run has not ended yet
    retry: Retry | None = None
    recover: Recover | None = None

    @property
    def key(self) -> str:
        """Unique on a page; the run's id for the piece that ends the turn."""
        return self.run_id if self.ends else f"{self.run_id}-{self.piece}"

    @property
    def is_live(self) -> bool:
        return self.state == "running"

    @property
    def has_answer(self) -> bool:
        """Whether anything but messages is there: 'Stopped before the answer began' needs to know."""
        return bool(self.dropped) or any(not isinstance(part, Message) for part in self.parts)

    @property
    def answer_text(self) -> str:
        """What Copy copies: the answer's text as the model wrote it."""
        return "\n\n".join(part.text for part in self.parts if isinstance(part, TextPart) and part.text)

    @property
    def blocks(self) -> tuple[Part | StepGroup, ...]:
        """The parts, with long rows of finished steps folded. A live turn is never folded."""
        return self.parts if self.is_live else fold_steps(self.parts)


@dataclass(frozen=True, slots=True)
class Queue:
    """Messages that wait for their turn, as {"id", "text"}, and why they do not start (None: they will)."""

    held: str | None = None
    messages: Sequence[Mapping[str, str]] = ()


NO_QUEUE = Queue()


@dataclass(frozen=True, slots=True)
class ThreadPage:
    """The last turns of a thread (or older ones), oldest first, and the state of the log that they show."""

    thread_id: UUID
    turns: tuple[Turn, ...]
    before: str | None = None  # cursor of the next older page
    run_id: str | None = None
    after: int = 0
    status: ThreadStatus = "idle"
    queue: Queue = NO_QUEUE


FOLD_FROM = 3


def fold_steps(parts: Sequence[Part]) -> tuple[Part | StepGroup, ...]:
    """Folds each row of finished steps that holds at least three tool calls and no text in between."""
    folded: list[Part | StepGroup] = []
    row: list[ToolStep | ReasoningPart] = []
    for part in parts:
        if isinstance(part, ReasoningPart) or (isinstance(part, ToolStep) and part.is_finished):
            row.append(part)
            continue
        folded += _as_group(row)
        row = []
        folded.append(part)
    return (*folded, *_as_group(row))


def _as_group(row: list[ToolStep | ReasoningPart]) -> list[ToolStep | ReasoningPart | StepGroup]:
    tools = [n for n, step in enumerate(row) if isinstance(step, ToolStep)]
    if len(tools) < FOLD_FROM:
        return list(row)
    first, last = tools[0], tools[-1] + 1
    return [*row[:first], StepGroup(tuple(row[first:last])), *row[last:]]
