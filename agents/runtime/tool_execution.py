"""One call of one tool, from the model's arguments to the one result that it always gets."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic_core import to_jsonable_python

from agents.errors import ToolError
from agents.runtime.failure import message_of
from agents.tools.base import RunContext, Tool
from agents.transcript import ToolCallEntry, ToolResultEntry, clean_json, clean_text

logger = logging.getLogger(__name__)

NOBODY_TO_ASK = "This call needs approval, and nobody could be asked. It was not run."


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """A call and what it comes to: a tool with its arguments, or the reason why nothing will run. `index` is
    the call's in the log."""

    entry: ToolCallEntry
    index: int
    tool: Tool | None = None
    arguments: dict[str, Any] | None = None
    refusal: str | None = None

    @property
    def runs(self) -> bool:
        return self.refusal is None

    @property
    def runs_alone(self) -> bool:
        return self.tool is not None and not self.tool.parallel


@dataclass(frozen=True, slots=True)
class Outcome:
    call: PlannedCall
    result: ToolResultEntry


def plan_call(entry: ToolCallEntry, index: int, *, tools: Mapping[str, Tool], ctx: RunContext) -> PlannedCall:
    tool = tools.get(entry.name)
    if tool is None:
        known = ", ".join(tools) or "none"
        return PlannedCall(
            entry, index, refusal=f"There is no tool named {entry.name!r}. The tools are: {known}."
        )
    arguments = _parse_arguments(entry.arguments)
    if arguments is None:
        return PlannedCall(
            entry, index, tool, refusal="The arguments are not a JSON object. The call was not run."
        )
    if _needs_approval(tool, arguments, ctx):
        return PlannedCall(entry, index, tool, refusal=NOBODY_TO_ASK)
    return PlannedCall(entry, index, tool, arguments)


async def run_call(call: PlannedCall, ctx: RunContext) -> Outcome:
    """Whatever the tool does, one outcome; only a cancel from outside goes on."""
    began = time.monotonic()
    try:
        output, raw, is_error = await _run(call, ctx)
    finally:
        ctx.cancel.cancel()
    seconds = round(time.monotonic() - began, 3)
    result = ToolResultEntry(call.entry.call_id, output, raw=raw, is_error=is_error, seconds=seconds)
    return Outcome(call, result)


def refused(call: PlannedCall) -> Outcome:
    """The outcome of a call that never runs."""
    return Outcome(call, ToolResultEntry(call.entry.call_id, clean_text(call.refusal or ""), is_error=True))


async def _run(call: PlannedCall, ctx: RunContext) -> tuple[str, Any, bool]:
    tool = call.tool
    assert tool is not None
    assert call.arguments is not None
    try:
        value = await _invoke(tool, call.arguments, ctx)
        return (*_rendered(value, tool.max_output), False)
    except asyncio.CancelledError:
        if _is_cancelled_from_outside():
            raise
        return _error(tool, "The tool was cancelled.")
    except ToolError as error:
        return _error(tool, message_of(error))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the border of a tool's execution
        logger.warning("tool %s failed: %s: %s", tool.name, type(error).__name__, message_of(error))
        return _error(tool, f"{type(error).__name__}: {message_of(error)}")


async def _invoke(tool: Tool, arguments: dict[str, Any], ctx: RunContext) -> Any:
    limit = asyncio.timeout(tool.timeout)
    try:
        async with limit:
            return await tool.invoke(ctx, arguments)
    except TimeoutError as error:
        if not limit.expired():
            raise
        raise ToolError(
            f"No answer within {tool.timeout:g} seconds. The call may have taken effect."
        ) from error


def _is_cancelled_from_outside() -> bool:
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def _error(tool: Tool, text: str) -> tuple[str, Any, bool]:
    return _limited(text, tool.max_output), None, True


def _rendered(value: Any, limit: int) -> tuple[str, Any]:
    """What the model reads, and the value itself where it is more than text and not cut."""
    if value is None:
        return "", None
    if isinstance(value, str):
        return _limited(clean_text(value), limit), None
    raw = clean_json(to_jsonable_python(value, fallback=str, inf_nan_mode="null"))
    output = json.dumps(raw, ensure_ascii=False)
    return (output, raw) if len(output) <= limit else (_limited(output, limit), None)


def _limited(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n[Cut: these are the first {limit:,} of {len(text):,} characters.]"


def _parse_arguments(arguments: str) -> dict[str, Any] | None:
    """None: not a JSON object, or nested without end. Nothing at all stands for no arguments, as some models
    write it."""
    if not arguments.strip():
        return {}
    try:
        parsed = json.loads(arguments)
        return clean_json(parsed) if isinstance(parsed, dict) else None
    except (ValueError, RecursionError):
        return None


def _needs_approval(tool: Tool, arguments: dict[str, Any], ctx: RunContext) -> bool:
    if not callable(tool.needs_approval):
        return tool.needs_approval
    try:
        return bool(tool.needs_approval(dict(arguments), ctx))
    except Exception as error:  # noqa: BLE001 - belongs to the tool's execution; in doubt it is not run
        logger.warning("needs_approval of tool %s failed: %s", tool.name, message_of(error))
        return True
