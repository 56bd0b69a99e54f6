"""The assistant of these tests: tools whose effects can be counted in a file, and which wait to be let go."""

from __future__ import annotations

import os
import time
from pathlib import Path

from agents import Agent, RunContext, tool


def _folder() -> Path:
    return Path(os.environ["EFFECTS"])


def _note(ctx: RunContext, name: str) -> None:
    with (_folder() / "effects").open("a") as effects:
        effects.write(f"{name} {ctx.idempotency_key}\n")


def _wait_for_release() -> None:
    while not (_folder() / "release").exists():
        time.sleep(0.02)


@tool
def pay(ctx: RunContext, amount: int) -> str:
    """Pays. Not to be repeated without being asked."""
    _note(ctx, "pay")
    _wait_for_release()
    return f"paid {amount}"


@tool(repeatable=True)
def lookup(ctx: RunContext, word: str) -> str:
    """Looks a word up, at once."""
    _note(ctx, "lookup")
    return f"{word}: found"


@tool(repeatable=True)
def wait(ctx: RunContext) -> str:
    """Waits until it is let go; may be repeated."""
    _note(ctx, "wait")
    _wait_for_release()
    return "waited"


helper = Agent(name="helper", instructions="You help.", model="openai:fake", tools=[pay, lookup, wait])
