"""The one place that says how a run ends that an error ended."""

import asyncio

import pytest

from agents.errors import (
    AgentsError,
    BudgetExceeded,
    ContextOverflow,
    GuardrailTripped,
    LeaseLost,
    OutputInvalid,
    ProviderError,
    RunInFlight,
    RunTimeout,
    ToolError,
    TurnLimitExceeded,
    UserError,
    classify,
)


@pytest.mark.parametrize(
    "error",
    [
        asyncio.CancelledError(),
        GeneratorExit(),
        KeyboardInterrupt(),
        TurnLimitExceeded("50 turns"),
        BudgetExceeded("1000 tokens"),
        RunTimeout("60 s"),
        TimeoutError(),
        ConnectionResetError(),
        LeaseLost("r1"),
        ProviderError("overloaded", status=529, retryable=True),
        ExceptionGroup("both", [TimeoutError(), ConnectionError()]),
    ],
    ids=repr,
)
def test_what_can_go_on_as_it_is_is_interrupted(error: BaseException) -> None:
    assert classify(error) == "interrupted"


@pytest.mark.parametrize(
    "error",
    [
        ProviderError("bad key", status=401),
        ContextOverflow("too long"),
        UserError("no such agent"),
        ToolError("boom"),
        GuardrailTripped("no"),
        OutputInvalid("not JSON"),
        ValueError("a fault of ours"),
        OSError("disk full"),
        ExceptionGroup("both", [TimeoutError(), ValueError()]),
    ],
    ids=repr,
)
def test_anything_else_is_failed(error: BaseException) -> None:
    assert classify(error) == "failed"


def test_errors_carry_a_hint_and_what_a_caller_asks_for() -> None:
    error = ProviderError("slow down", hint="Wait.", status=429, retryable=True, retry_after=2.5)
    assert (str(error), error.hint, error.status, error.retry_after) == ("slow down", "Wait.", 429, 2.5)
    assert RunInFlight("r1").run_id == "r1"
    assert AgentsError("x").hint == ""
