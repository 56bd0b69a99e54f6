"""What time is it in Tokyo, Lima and Berlin? One call of `clock` for each place, all at the same time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from agents.providers.demo.markdown import bullets, plain, table
from agents.providers.demo.numbers import number_word
from agents.providers.demo.plan import Call, Plan, Step, joined
from agents.providers.demo.rules.dates import day_in_words, weekday_in_words
from agents.providers.demo.rules.wording import any_of, sentence
from agents.providers.demo.talk import Outcome, Talk

MAX_PLACES = 8
LONGEST_PLACE = 40
ASKS = any_of(
    r"\bwhat time\b|\btime is it\b|\bcurrent time\b|^time (?:now )?in\b",
    r"\bwhat(?:'s|’s| is) the (?:current |local )?(?:time|date)\b",
    r"\b(?:what|which)(?: is)? ?(?:day|date) is\b|\btoday(?:'s|’s) date\b",
    r"\btime difference\b|\bhours? between\b",
    "几点|(?:现在|当地|当前).*时间|时间是多少|今天.*(?:星期几|几号|周几|日期)|时差|相差几个?小时",
)
MORE = any_of(r"(?:and|what about|how about)\s+(?:in\s+)?(?P<place>.+)", "那?(?P<there>.+?)呢")
WHERE = re.compile(r"\b(?:in|at|for|between)\s+(?P<places>.+)$", re.IGNORECASE)
ENGLISH_EXTRAS = re.compile(
    r"\b(?:right now|just now|now|please|at the moment|today|currently|the city of|local time)\b",
    re.IGNORECASE,
)
CHINESE_EXTRAS = any_of(
    "请问|请|告诉我|现在|当前|目前|当地|今天|分别|都|是多少|多少|是|的|时间|时差|相差|什么|在|了|呢|有|之间",
    "几个?小时|几点钟?|星期几|周几|几号|日期",
)
ENGLISH_SPLIT = re.compile(
    r"\s*(?:[,?!;&]|\band\b|\bor\b)+\s*(?:\b(?:and|what about|how about)\b\s*)?(?:\b(?:in|at)\b\s*)?",
    re.IGNORECASE,
)
CHINESE_SPLIT = re.compile(r"[、，,；;\s]|以及|和|与|跟|及")
LINE = re.compile(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d) \w+ · (.+?) \((?:.+, )?UTC([+-]\d\d):(\d\d)\)")


@dataclass(frozen=True, slots=True)
class Reading:
    place: str
    day: date
    time: str
    minutes: int  # ahead of UTC


def time_rule(talk: Talk) -> Plan | None:
    if "clock" not in talk.tools or len(talk.text) > 200:
        return None
    text = sentence(talk)
    if (more := MORE.fullmatch(text)) and talk.earlier and ASKS.search(talk.earlier[-1].question):
        text = more["there"] or f"in {more['place']}"
    elif not ASKS.search(text):
        return None
    places = places_in(text, is_chinese=talk.is_chinese)[:MAX_PLACES]
    return tell_time(talk, places) if all(len(place) <= LONGEST_PLACE for place in places) else None


def places_in(text: str, *, is_chinese: bool) -> list[str]:
    if is_chinese:
        parts = CHINESE_SPLIT.split(CHINESE_EXTRAS.sub(" ", text))
    else:
        where = WHERE.search(text)
        parts = ENGLISH_SPLIT.split(ENGLISH_EXTRAS.sub("", where["places"])) if where else []
    return list(dict.fromkeys(part.strip() for part in parts if part.strip()))


def tell_time(talk: Talk, places: list[str]) -> Plan:
    thinking = ""
    if len(places) > 1:
        thinking = talk.pick(
            f"{number_word(len(places)).capitalize()} places, and none of them depends on another. I ask the "
            "clock for all of them at the same time.",
            f"一共 {len(places)} 个地方，互不依赖，我同时查询。",
        )
    calls = tuple(Call("clock", {"place": place}) for place in places) or (Call("clock"),)
    outcomes = yield Step(thinking=thinking, calls=calls)
    readings = [reading for outcome in outcomes for reading in readings_of(outcome)]
    failures = [outcome.output for outcome in outcomes if outcome.is_error]
    return Step(joined(told(talk, readings), bullets(plain(failure) for failure in failures)))


def readings_of(outcome: Outcome) -> list[Reading]:
    if outcome.is_error:
        return []
    return [
        Reading(
            place=match[3],
            day=date.fromisoformat(match[1]),
            time=match[2],
            minutes=int(match[4]) * 60 + int(f"{match[4][0]}{match[5]}"),
        )
        for match in LINE.finditer(outcome.output)
    ]


def told(talk: Talk, readings: list[Reading]) -> str:
    if not readings:
        return ""
    if len(readings) == 1:
        only = readings[0]
        return talk.pick(
            f"It is **{only.time}** in {plain(only.place)}, on {full_day(talk, only.day)} ({offset(only)}).",
            f"{plain(only.place)}现在是 **{only.time}**，{full_day(talk, only.day)}（{offset(only)}）。",
        )
    head = talk.pick("Place|Time|Date|Offset", "地点|时间|日期|时区").split("|")
    rows = [
        [plain(reading.place), f"**{reading.time}**", full_day(talk, reading.day), offset(reading)]
        for reading in readings
    ]
    return joined(table(head, rows, right="lrlr"), distance(talk, readings))


def distance(talk: Talk, readings: list[Reading]) -> str:
    last, first = (pick(readings, key=lambda reading: reading.minutes) for pick in (min, max))
    gap = (first.minutes - last.minutes) / 60
    if not gap:
        return talk.pick("All of them have the same time.", "这些地方的时间相同。")
    return talk.pick(
        f"{plain(first.place)} is **{gap:g} hours** ahead of {plain(last.place)}.".replace(
            "**1 hours**", "**1 hour**"
        ),
        f"{plain(first.place)}比{plain(last.place)}早 **{gap:g} 小时**。",
    )


def full_day(talk: Talk, day: date) -> str:
    return talk.pick(
        f"{weekday_in_words(talk, day)} {day_in_words(talk, day)}",
        f"{day_in_words(talk, day)}，{weekday_in_words(talk, day)}",
    )


def offset(reading: Reading) -> str:
    hours, minutes = divmod(abs(reading.minutes), 60)
    return f"UTC{'-' if reading.minutes < 0 else '+'}{hours}{f':{minutes:02}' if minutes else ''}"
