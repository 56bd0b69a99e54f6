"""A day in words, in the two languages of the demo."""

from __future__ import annotations

from datetime import date

from agents.providers.demo.talk import Talk

MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
WEEKDAYS_ZH = "一二三四五六日"


def day_in_words(talk: Talk, day: date) -> str:
    return talk.pick(
        f"{day.day} {MONTHS[day.month - 1]} {day.year}", f"{day.year} 年 {day.month} 月 {day.day} 日"
    )


def weekday_in_words(talk: Talk, day: date) -> str:
    return talk.pick(WEEKDAYS[day.weekday()], f"星期{WEEKDAYS_ZH[day.weekday()]}")
