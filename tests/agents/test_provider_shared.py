"""What all providers share: words for failures, ids of calls, what lives as long as an event loop."""

import asyncio
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from threading import Thread
from typing import Any, Self

import pytest

from agents.errors import ContextOverflow
from agents.providers.failures import message_and_code, provider_error, retry_after
from agents.providers.loops import PerLoop
from agents.providers.naming import LONGEST, CallIds, fit_name

TOO_LONG = [
    "This model's maximum context length is 8192 tokens.",
    "prompt is too long: 213000 tokens > 200000 maximum",
    "the request exceeds the available context size. try increasing the context size",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "Please reduce the length of the messages or completion.",
    "input is longer than the context window",
]


@pytest.mark.parametrize("message", TOO_LONG)
def test_vendors_words_for_too_long_are_known(message: str) -> None:
    error = provider_error(message, status=400)
    assert isinstance(error, ContextOverflow)
    assert not error.retryable


@pytest.mark.parametrize(
    ("message", "status"),
    [
        ("Rate limit reached: too many tokens per minute", 429),
        ("Request too large: 9000 tokens per minute (TPM), reduce the length", 413),
        ("context length of the log exceeded", 500),
        ("unknown parameter", 400),
    ],
)
def test_other_refusals_are_not_too_long(message: str, status: int) -> None:
    assert not isinstance(provider_error(message, status=status), ContextOverflow)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
    ],
)
def test_a_wait_is_read(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_a_wait_may_be_a_date() -> None:
    wait = retry_after({"retry-after": format_datetime(datetime.now(UTC) + timedelta(seconds=30))})
    assert wait is not None
    assert 28 < wait <= 30


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"error": {"message": "no", "code": "c", "type": "t"}}, ("no", "c")),
        ({"error": {"message": "no", "code": None, "type": "t"}}, ("no", "t")),
        ({"error": "no"}, ("no", None)),
        ({"detail": "no"}, ("no", None)),
        ([{"error": {"message": "no", "code": 400, "status": "INVALID"}}], ("no", "400")),
        ({"object": "error", "message": "no", "code": 40303}, ("no", "40303")),
        ("plain", ("plain", None)),
        (None, ("", None)),
        ([], ("", None)),
    ],
)
def test_error_bodies_of_every_shape_are_read(body: Any, expected: tuple[str, str | None]) -> None:
    assert message_and_code(body) == expected


def test_call_ids_are_unique_and_fit() -> None:
    ids = CallIds()
    sent = [ids.call(call_id) for call_id in ("a", "b", "a", "x" * 99, "a b", "")]
    assert sent[:2] == ["a", "b"]
    assert len(set(sent)) == 6
    assert all(0 < len(call_id) <= LONGEST for call_id in sent)


def test_results_find_their_calls_in_order() -> None:
    ids = CallIds()
    first, second = ids.call("a"), ids.call("a")
    assert [ids.result("a"), ids.result("a"), ids.result("a"), ids.result("b")] == [first, second, None, None]


def test_the_same_history_has_the_same_ids() -> None:
    history = ["a", "a", "y" * 50]
    short, long = CallIds(), CallIds()
    assert [short.call(call_id) for call_id in history] == [
        long.call(call_id) for call_id in [*history, "a"]
    ][:3]


@pytest.mark.parametrize(
    ("name", "fit"), [("clock", "clock"), ("a.b c", "a_b_c"), ("", "unknown"), ("x" * 70, "x" * 64)]
)
def test_names_fit(name: str, fit: str) -> None:
    assert fit_name(name) == fit


class Thing:
    """Counts how often it is opened and closed."""

    def __init__(self) -> None:
        self.opened = self.closed = 0

    async def __aenter__(self) -> Self:
        self.opened += 1
        return self

    async def __aexit__(self, *error: object) -> None:
        self.closed += 1


def per_loop(made: list[Thing], failures: int = 0) -> PerLoop[Thing]:
    left = [OSError("not now")] * failures

    async def make() -> Thing:
        await asyncio.sleep(0.01)
        if left:
            raise left.pop()
        made.append(Thing())
        return made[-1]

    return PerLoop(make)


def test_each_loop_has_one_and_closes_it() -> None:
    made: list[Thing] = []
    things = per_loop(made)

    async def use() -> None:
        first, *others = await asyncio.gather(*(things.get() for _ in range(4)))
        assert (first.opened, first.closed) == (1, 0)
        assert all(other is first for other in others)

    asyncio.run(use())
    asyncio.run(use())
    assert [(thing.opened, thing.closed) for thing in made] == [(1, 1), (1, 1)]


def test_loops_that_nobody_ends_are_served_at_the_exit() -> None:
    made: list[Thing] = []
    things = per_loop(made)
    idle, busy = asyncio.new_event_loop(), asyncio.new_event_loop()
    thread = Thread(target=busy.run_forever)
    thread.start()
    idle.run_until_complete(things.get())
    asyncio.run_coroutine_threadsafe(things.get(), busy).result(1)
    things.close_everywhere()
    busy.call_soon_threadsafe(busy.stop)
    thread.join()
    for loop in (idle, busy):
        loop.close()
    assert [thing.closed for thing in made] == [1, 1]


async def test_closing_makes_room_for_another() -> None:
    made: list[Thing] = []
    things = per_loop(made)
    first = await things.get()
    await things.close()
    await things.close()
    assert first.closed == 1
    assert await things.get() is not first
    await things.close()


async def test_a_failure_is_not_kept() -> None:
    things = per_loop([], failures=1)
    with pytest.raises(OSError, match="not now"):
        await things.get()
    assert (await things.get()).opened == 1
    await things.close()
