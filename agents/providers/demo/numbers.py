"""Numbers as people write them in a sentence, and as an answer shows them."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

NUMBER = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?)"
UNITS = r"(?:\s?[万亿])?"
PERCENT = rf"(?:{NUMBER}\s*(?:%|％|percent|per cent)|百分之\s*{NUMBER})"
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


CHINESE_NUMBER = re.compile("[零〇一二两三四五六七八九十百千万亿]+(?:点[零〇一二三四五六七八九]+)?")
CHINESE_DIGITS = {**{digit: value for value, digit in enumerate("零一二三四五六七八九")}, "〇": 0, "两": 2}
CHINESE_PLACES = {"十": 10, "百": 100, "千": 1_000}


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


def number_word(number: int) -> str:
    """`three`, as far as there are words for it here."""
    return COUNT_WORDS[number - 1].split()[0] if 2 <= number <= len(COUNT_WORDS) else str(number)


def with_digits(text: str) -> str:
    """`三加二十五点五` → `3加25.5`."""
    return CHINESE_NUMBER.sub(lambda match: chinese_number(match[0]), text)


def with_percents(text: str) -> str:
    """`二十五的百分之十` → `25的10%`. Other numerals stay: most of them are parts of words."""
    text = re.sub(f"百分之({CHINESE_NUMBER.pattern})", lambda match: f"{chinese_number(match[1])}%", text)
    return re.sub(
        f"(?<![\\d.])(?:{CHINESE_NUMBER.pattern})(?=[的加减涨降])",
        lambda match: chinese_number(match[0]),
        text,
    )


def chinese_number(text: str) -> str:
    whole, _, fraction = text.partition("点")
    total = section = digit = 0
    for sign in whole:
        if sign in CHINESE_DIGITS:
            digit = CHINESE_DIGITS[sign]
        elif sign in CHINESE_PLACES:
            section, digit = section + (digit or 1) * CHINESE_PLACES[sign], 0
        else:
            total, section, digit = total + (section + digit or 1) * SCALES[sign], 0, 0
    digits = "".join(str(CHINESE_DIGITS[sign]) for sign in fraction)
    return f"{total + section + digit}{'.' if digits else ''}{digits}"


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
    if "E" in str(number) or not value.is_finite():
        return str(number)
    if value == value.to_integral_value():
        return f"{value:,.0f}"
    return f"{round(value, 6):,f}".rstrip("0").rstrip(".") if -7 < value.adjusted() < 20 else str(number)


def money(number: Decimal) -> str:
    return f"{round(number, 2):,.2f}"
