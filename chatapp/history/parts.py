"""Entries of one run as the parts of its turn. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, assert_never

from agents.transcript import (
    AssistantTextEntry,
    Entry,
    InputEntry,
    ReasoningEntry,
    ToolCallEntry,
    ToolResultEntry,
    UnreadableEntry,
    pair_calls,
)
from chatapp.history.facts import Facts, moment
from chatapp.history.short import short_arguments, short_result
from chatapp.history.turns import (
    Attachment,
    HandoverPart,
    Message,
    Part,
    ReasoningPart,
    StepState,
    TextPart,
    ToolStep,
    UnreadablePart,
)

Indexed: TypeAlias = tuple[int, Entry | UnreadableEntry]
HandoverTo: TypeAlias = Callable[[str], str | None]
"""The agent that a tool of this name hands over to, if it does."""


def build_parts(
    entries: Sequence[Indexed], *, run_id: str, facts: Facts, handover_to: HandoverTo
) -> list[Part]:
    """The parts of a run, or of a piece of one: a result whose call is in an older piece is shown there."""
    results = results_by_call(entries)
    parts: list[Part] = []
    for index, entry in entries:
        match entry:
            case InputEntry():
                parts += message_parts(run_id, index, entry, facts)
            case AssistantTextEntry():
                parts.append(TextPart(index, entry.content, partial=entry.partial))
            case ReasoningEntry():
                parts.append(ReasoningPart(index, entry.content, facts.reasoning_seconds.get(str(index))))
            case ToolCallEntry():
                parts.append(call_part(index, entry, results.get(index), facts, handover_to))
            case ToolResultEntry():
                pass  # shown with its call
            case UnreadableEntry():
                parts.append(UnreadablePart(entry.record))
            case _:
                assert_never(entry)
    return parts


def results_by_call(entries: Sequence[Indexed]) -> dict[int, ToolResultEntry]:
    """The result of each answered call, by the call's index."""
    readable = [(index, entry) for index, entry in entries if not isinstance(entry, UnreadableEntry)]
    pairs = pair_calls(entry for _, entry in readable)
    results = ((readable[call][0], readable[result][1]) for call, result in pairs.items())
    return {index: result for index, result in results if isinstance(result, ToolResultEntry)}


def message_parts(run_id: str, index: int, entry: InputEntry, facts: Facts) -> Iterator[Message]:
    """What the user said. System lines are for the model."""
    if entry.role == "user":
        text, attachments = read_content(entry.content)
        yield Message(f"{run_id}:{index}", text, attachments, facts.started_at)


def call_part(
    index: int, call: ToolCallEntry, result: ToolResultEntry | None, facts: Facts, handover_to: HandoverTo
) -> ToolStep | HandoverPart:
    agent = handover_to(call.name) if result and not result.is_error else None
    if agent:
        return HandoverPart(call.call_id, agent)
    return ToolStep(
        call_id=call.call_id,
        name=call.name,
        arguments=call.arguments,
        arguments_short=short_arguments(call.arguments),
        state=state_of_step(call, result, facts),
        output=result.output if result else None,
        output_short=short_result(result.output) if result else "",
        seconds=seconds_of(call, result, facts),
        started_at=None if result else moment(facts.call_started_at.get(call.call_id)),
        index=index,
    )


def state_of_step(call: ToolCallEntry, result: ToolResultEntry | None, facts: Facts) -> StepState:
    if result:
        return "error" if result.is_error else "done"
    if facts.state != "running":
        return "open"
    return "running" if call.call_id in facts.started_calls else "queued"


def seconds_of(call: ToolCallEntry, result: ToolResultEntry | None, facts: Facts) -> float | None:
    if result is None:
        return None
    return facts.tool_seconds.get(call.call_id) if result.seconds is None else result.seconds


def dropped_steps(dropped: Sequence[Mapping[str, Any]]) -> tuple[ToolStep, ...]:
    """The calls that a fold took out of the transcript: they did not run, or nobody knows how far."""
    return tuple(dropped_step(call) for call in dropped)


def dropped_step(call: Mapping[str, Any]) -> ToolStep:
    arguments = str(call.get("arguments") or "")
    return ToolStep(
        call_id=str(call.get("call_id") or ""),
        name=str(call.get("name") or ""),
        arguments=arguments,
        arguments_short=short_arguments(arguments),
        state="may_have_run" if call.get("started") else "not_run",
    )


def read_content(content: str | Sequence[Any]) -> tuple[str, tuple[Attachment, ...]]:
    """The text of an input, and what hangs on it."""
    if isinstance(content, str):
        return content, ()
    parts = [part for part in content if isinstance(part, Mapping)]
    text = "\n\n".join(str(part.get("text") or "") for part in parts if part.get("type") == "text")
    return text, tuple(attachment_of(part) for part in parts if part.get("type") != "text")


def attachment_of(part: Mapping[str, Any]) -> Attachment:
    return Attachment(
        name=str(part.get("name") or part.get("type") or ""),
        media_type=str(part.get("mime_type") or ""),
        url=str(part.get("url") or ""),
    )
