"""Watching a run from inside. A hook cannot change or stop a run: whatever it raises is logged, and the run
goes on."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Literal

from agents.run_info import RunInfo
from agents.transcript import Entry, ToolCallEntry, ToolResultEntry

logger = logging.getLogger(__name__)


class Hooks:
    """Override what you need. None is called for a replay; `tool_*` run beside each other when their calls
    do."""

    async def run_started(self, run: RunInfo, *, resumed: bool) -> None:
        """Before anything else happens."""

    async def turn_started(self, run: RunInfo) -> None:
        """Before the model is called; once a turn, however often a provider has to be asked."""

    async def turn_finished(self, run: RunInfo, entries: Sequence[Entry]) -> None:
        """What the model said is whole, and stored."""

    async def tool_started(self, run: RunInfo, call: ToolCallEntry) -> None:
        """The call's start is stored; the tool has not begun."""

    async def tool_returned(self, run: RunInfo, call: ToolCallEntry, result: ToolResultEntry) -> None:
        """The result is stored."""

    async def handed_over(self, run: RunInfo, target: str) -> None:
        """`target` is the agent that goes on; `run` still names the one before."""

    async def run_finished(
        self, run: RunInfo, status: Literal["completed", "interrupted", "failed"], error: BaseException | None
    ) -> None:
        """After the last save. A run that is cancelled ends as interrupted."""


async def notify(hooks: Iterable[Hooks], event: Callable[[Hooks], Awaitable[None]]) -> None:
    for hook in hooks:
        try:
            await event(hook)
        except Exception as error:  # noqa: BLE001 - watchers must not decide how a run ends
            logger.warning("hook %s failed: %s: %s", type(hook).__name__, type(error).__name__, error)
