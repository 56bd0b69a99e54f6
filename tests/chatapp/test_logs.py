"""What libraries say when a service is away: one line, with the cause, and not over and over."""

from __future__ import annotations

import logging

import pytest

from chatapp.logs import OneLine


def record_of(error: Exception) -> logging.LogRecord:
    try:
        raise error from ValueError("no route to host")
    except Exception as raised:  # noqa: BLE001
        trouble = (type(raised), raised, raised.__traceback__)
        return logging.LogRecord("library", logging.ERROR, "", 0, "Gave up:\n   %s", ("later",), trouble)


@pytest.fixture
def said() -> logging.LogRecord:
    said = record_of(RuntimeError("\n  Database error.\n"))
    assert OneLine().filter(said)
    return said


def test_it_is_one_line_with_its_cause(said: logging.LogRecord) -> None:
    assert logging.Formatter().format(said) == "Gave up: later: no route to host"


def test_it_is_not_said_again_for_a_while() -> None:
    one_line = OneLine()
    assert [one_line.filter(record_of(RuntimeError())) for _ in range(3)] == [True, False, False]
