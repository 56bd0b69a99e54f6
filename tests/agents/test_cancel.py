"""The shield around writes, and the token."""

import asyncio

import pytest

from agents.cancel import CancelToken, shielded


async def test_a_shielded_write_is_whole_before_the_cancel_goes_on() -> None:
    steps: list[str] = []

    async def write() -> None:
        steps.append("begun")
        await asyncio.sleep(0.02)
        steps.append("whole")

    async def caller() -> None:
        try:
            await shielded(write())
        finally:
            steps.append("caller ends")

    task = asyncio.create_task(caller())
    await asyncio.sleep(0.005)
    task.cancel()
    await asyncio.sleep(0.005)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert steps == ["begun", "whole", "caller ends"]


async def test_results_and_errors_come_through() -> None:
    async def give() -> int:
        return 3

    async def fail() -> int:
        raise ValueError("x")

    assert await shielded(give()) == 3
    with pytest.raises(ValueError, match="x"):
        await shielded(fail())


async def test_a_write_that_fails_behind_a_cancel_is_no_unseen_error() -> None:
    async def fail() -> None:
        await asyncio.sleep(0.01)
        raise ValueError("x")

    task = asyncio.create_task(shielded(fail()))
    await asyncio.sleep(0.005)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_a_token_calls_back_once_and_late_comers_at_once() -> None:
    token, called = CancelToken(), list[str]()
    token.on_cancel(lambda: called.append("early"))
    forgotten = lambda: called.append("forgotten")  # noqa: E731
    token.on_cancel(forgotten)
    token.forget(forgotten)
    assert not token.is_cancelled
    token.cancel()
    token.cancel()
    token.on_cancel(lambda: called.append("late"))
    assert (token.is_cancelled, called) == (True, ["early", "late"])
