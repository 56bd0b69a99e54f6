"""The slow job: steps with progress, and an end whenever it is cancelled."""

import asyncio

import pytest

from agents import RunContext
from agents.errors import ToolError
from agents.tools.base import Progress
from chatapp.tools import slow_job


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chatapp.tools.jobs.STEP_SECONDS", 0)


async def test_each_step_is_told() -> None:
    told: list[Progress] = []
    answer = await slow_job.invoke(RunContext("run", "call", on_progress=told.append), {"steps": 2})
    assert told == [Progress(0, 2, "step 1"), Progress(1, 2, "step 2"), Progress(2, 2, "finished")]
    assert answer == "2 of 2 steps finished: step 1, step 2."


async def test_steps_may_have_names() -> None:
    told: list[Progress] = []
    arguments = {"steps": 9, "names": ["Arnold", "Dorn & Söhne"]}
    answer = await slow_job.invoke(RunContext("run", "call", on_progress=told.append), arguments)
    assert [progress.note for progress in told] == ["Arnold", "Dorn & Söhne", "finished"]
    assert answer == "2 of 2 steps finished: Arnold, Dorn & Söhne."


@pytest.mark.parametrize("arguments", [{"steps": 0}, {"steps": 61}, {"steps": 10**12}, {"names": ["x"] * 61}])
async def test_the_number_of_steps_has_limits(arguments: dict[str, object]) -> None:
    with pytest.raises(ToolError):
        await slow_job.invoke(RunContext("run", "call"), arguments)


async def test_it_can_be_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chatapp.tools.jobs.STEP_SECONDS", 60)
    task = asyncio.create_task(slow_job.invoke(RunContext("run", "call"), {}))  # type: ignore[arg-type]
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_it_stands_for_work_that_must_not_be_repeated_unasked() -> None:
    assert not slow_job.repeatable
    assert slow_job.timeout is not None
    assert slow_job.timeout > 60
