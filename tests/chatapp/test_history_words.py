"""One-line forms of steps, and the days of the chat list. No database."""

from datetime import UTC, date, datetime
from uuid import uuid4

import pytest
from django.utils import timezone, translation

from chatapp.history.days import group_by_day, label_of
from chatapp.history.rows import SidebarRow
from chatapp.history.short import short_arguments, short_result

TODAY = date(2026, 3, 10)


@pytest.mark.parametrize(
    ("raw", "short"),
    [
        ('{"query": "price list"}', '"price list"'),
        ('{"expression": "1240 * 1.19"}', "1240 * 1.19"),
        ('{"n": 3}', "3"),
        ('{"a": 1, "b": "下周"}', '{"a": 1, "b": "下周"}'),
        ("{}", ""),
        ("", ""),
        ('{"cut": "sho', '{"cut": "sho'),
        ("[1,\n 2]", "[1, 2]"),
        ('{"deep": {"x": [1]}}', '{"x": [1]}'),
    ],
)
def test_short_arguments(raw, short):
    assert short_arguments(raw) == short


def test_long_ones_are_cut():
    assert len(short_arguments('{"q": "' + "word " * 5_000 + '"}')) <= 120
    assert short_result("x" * 500).endswith("…")


def test_a_result_is_its_first_line_that_says_something():
    assert short_result("\n\n  3 threads  \n1. Tax") == "3 threads"
    assert short_result("") == ""


@pytest.mark.parametrize(
    ("day", "label"),
    [
        (date(2026, 3, 11), "Today"),
        (date(2026, 3, 10), "Today"),
        (date(2026, 3, 9), "Yesterday"),
        (date(2026, 3, 8), "Previous 7 days"),
        (date(2026, 3, 3), "Previous 7 days"),
        (date(2026, 3, 2), "Previous 30 days"),
        (date(2026, 2, 8), "Previous 30 days"),
        (date(2026, 2, 7), "February 2026"),
        (date(2025, 2, 7), "February 2025"),
    ],
)
def test_days(day, label):
    with translation.override("en"):
        assert label_of(day, TODAY) == label


def row(year, month, day, hour=12, minute=0):
    return SidebarRow(uuid4(), "x", "idle", datetime(year, month, day, hour, minute, tzinfo=UTC))


def test_a_day_is_the_readers_own():
    late = row(2026, 3, 9, 23, 30)
    now = datetime(2026, 3, 10, 9, tzinfo=UTC)
    with translation.override("en"), timezone.override("UTC"):
        assert [group.label for group in group_by_day([late], now=now)] == ["Yesterday"]
    with translation.override("en"), timezone.override("Asia/Shanghai"):
        assert [group.label for group in group_by_day([late], now=now)] == ["Today"]


def test_rows_keep_their_order_within_a_group():
    rows = [row(2026, 3, 10, 8), row(2026, 3, 10, 7), row(2026, 1, 2), row(2026, 1, 1)]
    with translation.override("en"), timezone.override("UTC"):
        groups = group_by_day(rows, now=datetime(2026, 3, 10, 9, tzinfo=UTC))
    assert [(group.label, group.rows) for group in groups] == [
        ("Today", tuple(rows[:2])),
        ("January 2026", tuple(rows[2:])),
    ]
