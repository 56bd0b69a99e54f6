"""Numbers as people write them in a sentence, and as an answer shows them."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

NUMBER = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?)"
UNITS = r"(?:\s?[万亿])?"
PERCENT = rf"(?:{NUMBER}\s*(?:%|％|percent|per cent)|百分之{NUMBER})"
GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
SCALES = {"万": 10_000, "亿": 100_000_000}
COUNT_WORDS = (
    "a an one 一",
    "two couple 二 两",
    "three 三",
    "four 四",
    "five 五",
    "six 六",
    "seven 七",
    "eight 八",
    "nine 九",
    "ten 十",
    "eleven 十一",
    "twelve dozen 十二",
    "thirteen 十三",
    "fourteen 十四",
    "fifteen 十五",
    "sixteen 十六",
    "seventeen 十七",
    "eighteen 十八",
    "nineteen 十九",
    "twenty 二十",
)
COUNTS = {word: number for number, words in enumerate(COUNT_WORDS, start=1) for word in words.split()}
COUNT = rf"(?:\d+|{'|'.join(sorted(COUNTS, key=len, reverse=True))})"


def decimal(text: str) -> Decimal:
    """`2,480`, `17,5`, `17.5 %`, `1.5万`. Only for what NUMBER has matched."""
    digits = re.search(NUMBER, text)
    if digits is None:
        raise ValueError(f"no number in {text!r}")
    written = digits[0].replace(",", "") if GROUPED.fullmatch(digits[0]) else digits[0].replace(",", ".")
    unit = text[digits.end() :].strip()[:1]
    return Decimal(written) * SCALES.get(unit, 1)


def count(text: str) -> int:
    """`5`, `five`, `五`."""
    return int(text) if text.isdecimal() else COUNTS[text.lower()]


def written(number: Decimal) -> str:
    """For an expression: without separators, exponents and idle zeros."""
    plain = f"{number:f}"
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def shown(number: Decimal | str) -> str:
    """For a reader: thousands apart, at most six decimals. What is no plain number comes back as it is."""
    try:
        value = Decimal(number)
    except InvalidOperation:
        return str(number)
    if not value.is_finite() or abs(value.adjusted()) > 1_000:
        return str(number)
    if value == value.to_integral_value() and "E" not in str(number):
        return f"{value:,.0f}"
    return f"{round(value, 6):,f}".rstrip("0").rstrip(".") if -7 < value.adjusted() < 28 else str(number)


def money(number: Decimal) -> str:
    return f"{round(number, 2):,.2f}"
