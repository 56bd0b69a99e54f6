"""The assistant that the servers offer: tools whose every effect is one line of a file."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

from agents import Agent, RunContext, tool
from agents.errors import ToolError

UNREPEATABLE = frozenset({"pay", "transfer", "book", "refuse"})


def _effect(ctx: RunContext, name: str) -> None:
    line = f"{name} {ctx.session_id} {ctx.run_id} {ctx.call_id} {time.time():.6f} {os.getpid()}\n"
    path = Path(os.environ["EFFECTS"])
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(descriptor, line.encode())
    finally:
        os.close(descriptor)


@tool
async def pay(ctx: RunContext, note: str, ms: int) -> str:
    """Pays. Not to be repeated without being asked."""
    _effect(ctx, "pay")
    await asyncio.sleep(ms / 1000)
    return f"paid for {note}"


@tool(parallel=False)
async def transfer(ctx: RunContext, note: str, ms: int) -> str:
    """Runs alone, in its place. Not to be repeated without being asked."""
    _effect(ctx, "transfer")
    await asyncio.sleep(ms / 1000)
    return f"transferred for {note}"


@tool
def book(ctx: RunContext, note: str, ms: int) -> str:
    """Runs in a thread, and cannot be cancelled. Not to be repeated without being asked."""
    _effect(ctx, "book")
    time.sleep(ms / 1000)
    return f"booked for {note}"


@tool
async def refuse(ctx: RunContext, note: str, ms: int) -> str:
    """Has its effect, then fails. Not to be repeated without being asked."""
    _effect(ctx, "refuse")
    await asyncio.sleep(ms / 1000)
    raise ToolError(f"refused {note}")


@tool(repeatable=True)
async def lookup(ctx: RunContext, note: str, ms: int) -> str:
    """Looks something up, and tells how far it is."""
    _effect(ctx, "lookup")
    for step in range(4):
        await ctx.progress(step, 4, note)
        await asyncio.sleep(ms / 4000)
    return f"found {note}"


@tool(repeatable=True)
def scan(ctx: RunContext, note: str, ms: int) -> str:
    """Looks something up in a thread."""
    _effect(ctx, "scan")
    time.sleep(ms / 1000)
    return f"scanned {note}"


helper = Agent(
    name="helper",
    instructions="You help.",
    model="openai:fake",
    tools=[pay, transfer, book, refuse, lookup, scan],
)
