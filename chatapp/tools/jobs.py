"""A job that only takes time: something to watch, to leave, to stop, and to find again after a crash."""

from __future__ import annotations

import asyncio

from agents import RunContext, tool
from agents.errors import ToolError

MAX_STEPS = 60
STEP_SECONDS = 1.0


@tool(timeout=MAX_STEPS * STEP_SECONDS + 60)
async def slow_job(ctx: RunContext, steps: int = 5, names: list[str] | None = None) -> str:
    """Run a practice job of some steps, each of which takes about a second and does nothing else.

    Args:
        steps: How many, 1 to 60. Counted from the names if there are any.
        names: What the steps are called, in their order.
    """
    total = len(names) if names else steps
    if not 1 <= total <= MAX_STEPS:
        raise ToolError(f"The job takes 1 to {MAX_STEPS} steps.")
    labels = [name.strip()[:80] for name in names or []] or [f"step {n}" for n in range(1, total + 1)]
    for done, label in enumerate(labels):
        await ctx.progress(done, total, label)
        await asyncio.sleep(STEP_SECONDS)
    await ctx.progress(total, total, "finished")
    return f"{total} of {total} steps finished: {', '.join(labels)}."
