"""What the tests of the loop share: a short way to a run, and checkpointers that watch or crash."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from typing import Any, Unpack

from agents import Agent, CheckpointOptions, Runner
from agents.checkpoint import RunHead, RunSnapshot
from agents.events import Event
from agents.runtime.options import RunKeywords
from agents.runtime.retry import RetryPolicy
from agents.stores import InMemoryCheckpointer, InMemorySession
from agents.testing import Scripted, ScriptedProvider
from agents.tools import Tool
from agents.transcript import Entry

AT_ONCE = RetryPolicy(first_wait=0)


def scripted(*script: Scripted, tools: Sequence[Tool] = (), **fields: Any) -> tuple[Agent, ScriptedProvider]:
    """An agent that follows a script, and the provider that plays it."""
    provider = ScriptedProvider(script)
    return Agent(name="helper", model=provider, tools=list(tools), **fields), provider


def kept(checkpointer: InMemoryCheckpointer, run_id: str = "r", **options: Any) -> CheckpointOptions:
    return CheckpointOptions(checkpointer, run_id, **options)


async def events_of(agent: Agent, given: Any = "hello", **options: Unpack[RunKeywords]) -> list[Event]:
    async with aclosing(Runner.stream(agent, given, **options)) as events:
        return [event async for event in events]


def types(events: Sequence[Event]) -> list[str]:
    return [event.type for event in events]


def kinds(entries: Sequence[Entry]) -> list[str]:
    return [entry.type for entry in entries]


async def stored(checkpointer: InMemoryCheckpointer, run_id: str = "r") -> RunSnapshot:
    snapshot = await checkpointer.load(run_id)
    assert snapshot is not None
    return snapshot


class WatchedCheckpointer(InMemoryCheckpointer):
    """Writes down what each save held: the kinds of its entries, and how the run stood."""

    def __init__(self) -> None:
        super().__init__()
        self.saves: list[tuple[list[str], str]] = []
        self.heads: list[RunHead] = []
        self.deletes: list[str] = []

    async def append(self, run_id: str, entries: Sequence[Entry], head: RunHead) -> None:
        await super().append(run_id, entries, head)
        self.saves.append((kinds(entries), "done" if head.done and head.status == "running" else head.status))
        self.heads.append(head)

    async def delete(self, run_id: str) -> None:
        await super().delete(run_id)
        self.deletes.append(run_id)


class Crash(BaseException):
    """The process dies: nothing after it is written any more."""


class CrashingCheckpointer(InMemoryCheckpointer):
    """Dies at the n-th save, before or after it is written; dead, it writes nothing, until it is revived."""

    def __init__(self, *, at: int, written: bool) -> None:
        super().__init__()
        self._at = at
        self._written = written
        self._saves = 0
        self._is_dead = False

    async def append(self, run_id: str, entries: Sequence[Entry], head: RunHead) -> None:
        if self._is_dead:
            raise Crash
        self._saves += 1
        if self._saves == self._at:
            self._is_dead = True
            if self._written:
                await super().append(run_id, entries, head)
            raise Crash
        await super().append(run_id, entries, head)

    def revive(self) -> None:
        """Another process; the leases of the dead one have run out."""
        self._is_dead = False
        self._at = 0
        self._claimed.clear()

    @property
    def has_crashed(self) -> bool:
        return self._is_dead


class MortalSession(InMemorySession):
    """Dies with its checkpointer."""

    def __init__(self, checkpointer: CrashingCheckpointer) -> None:
        super().__init__()
        self._dies_with = checkpointer

    async def append(
        self,
        session_id: str,
        entries: Sequence[Entry],
        *,
        run_id: str | None = None,
        meta: dict[str, Any] | None = None,
    ) -> str:
        if self._dies_with.has_crashed:
            raise Crash
        return await super().append(session_id, entries, run_id=run_id, meta=meta)


async def cancelled(task: asyncio.Task[Any]) -> None:
    """Cancel it, and see that the cancel came through."""
    task.cancel()
    done, _ = await asyncio.wait({task}, timeout=5)
    assert done
    assert task.cancelled()
