"""Percentages in a sentence: a share, a rise or a fall, a tax, a tip, one number in percent of another."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal

from agents.providers.demo.markdown import table
from agents.providers.demo.numbers import NUMBER, PERCENT, UNITS, decimal, shown, with_percents, written
from agents.providers.demo.plan import Call, Plan, Step, joined
from agents.providers.demo.rules.failures import sum_failure
from agents.providers.demo.rules.wording import any_of
from agents.providers.demo.talk import Talk

VAT = {False: Decimal(19), True: Decimal(13)}
AMOUNT = rf"(?P<base>{NUMBER}{UNITS})(?:\s*(?:€|\$|£|¥|eur|usd|gbp|chf|euros?|dollars?|pounds?|元|块))?"
RATE = rf"(?P<rate>{PERCENT})"
TAX = r"(?:vat|sales tax|tax|增值税|税)"

SHARE = re.compile(rf"{RATE}\s+(?:tip\s+|discount\s+)?(?:of|on|from|off)\s+{AMOUNT}", re.IGNORECASE)
SHARE_ZH = re.compile(rf"{AMOUNT}\s*的\s*{RATE}")
CHANGE = re.compile(
    rf"{AMOUNT}\s*(?P<sign>\+|-|−|plus|minus|with|less|加上?|减去?|涨|增加|上涨|提高|降|减少|下降|打折)\s*(?:an?\s+)?{RATE}",
    re.IGNORECASE,
)
CHANGE_BY = re.compile(
    rf"(?P<sign>increase|raise|decrease|reduce|cut)\s+{AMOUNT}\s+by\s+{RATE}", re.IGNORECASE
)
ADD_TO = re.compile(rf"(?P<sign>add|take|subtract)\s+{RATE}\s+(?:to|off|from)\s+{AMOUNT}", re.IGNORECASE)
WITH_TAX = re.compile(rf"{AMOUNT}\s*(?:plus|\+|with|and|加上?|含|加)\s*{TAX}", re.IGNORECASE)
RATIO = any_of(
    rf"what\s+(?:percent(?:age)?|share)\s+(?:is|of)\s+(?P<part>{NUMBER})\s+(?:is\s+)?of\s+(?P<whole>{NUMBER})",
    rf"what\s+percent(?:age)?\s+of\s+(?P<whole2>{NUMBER})\s+is\s+(?P<part2>{NUMBER})",
    rf"(?P<part3>{NUMBER})\s+(?:is|are)\s+(?:what|how many)\s+percent(?:age)?\s+of\s+(?P<whole3>{NUMBER})",
    rf"(?P<part4>{NUMBER}{UNITS})\s*[是占]\s*(?P<whole4>{NUMBER}{UNITS})\s*的?\s*(?:百分之几|百分之多少)",
)
WANTS_SUM = re.compile(
    r"\b(?:sum|total|together|altogether|added|tip|in all|gross)\b|总和|总共|一共|合计|加起来|总额|总数",
    re.IGNORECASE,
)
WANTS_REST = re.compile(
    r"\b(?:discount|off|rest|remains?|left|less|difference)\b|折扣|剩下?|余下|优惠", re.IGNORECASE
)
FALLS = re.compile(r"-|−|minus|less|decrease|reduce|cut|take|subtract|减|降|下降|打折", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Question:
    """`direction`: the percentage alone (0), added (1) or taken off (-1)."""

    base: Decimal
    rate: Decimal
    direction: int
    is_tax: bool = False


def percent_rule(talk: Talk) -> Plan | None:
    if "calculator" not in talk.tools or len(talk.text) > 300:
        return None
    talk = replace(talk, text=with_percents(talk.text))
    if ratio := RATIO.search(talk.text):
        named = {name.rstrip("234"): text for name, text in ratio.groupdict().items() if text}
        part, whole = decimal(named["part"]), decimal(named["whole"])
        return tell_ratio(talk, part, whole) if whole else None
    question = read_question(talk)
    return tell_share(talk, question) if question else None


def read_question(talk: Talk) -> Question | None:
    text = talk.text
    if (found := SHARE.search(text)) or (found := SHARE_ZH.search(text)):
        direction = 1 if WANTS_SUM.search(text) else -1 if WANTS_REST.search(text) else 0
        return Question(decimal(found["base"]), decimal(found["rate"]), direction)
    for pattern in (CHANGE_BY, ADD_TO, CHANGE):
        if found := pattern.search(text):
            falls = bool(FALLS.fullmatch(found["sign"]) or "discount" in text.lower())
            return Question(
                decimal(found["base"]), decimal(found["rate"]), -1 if falls else 1, bool(re.search(TAX, text))
            )
    if found := WITH_TAX.search(text):
        rate = re.search(PERCENT, text)
        return Question(
            decimal(found["base"]), decimal(rate[0]) if rate else VAT[talk.is_chinese], 1, is_tax=True
        )
    return None


def tell_share(talk: Talk, question: Question) -> Plan:
    base, factor = written(question.base), question.rate / 100
    calls = [Call("calculator", {"expression": f"{base} * {written(factor)}"})]
    if question.direction:
        calls.append(
            Call("calculator", {"expression": f"{base} * {written(1 + question.direction * factor)}"})
        )
    outcomes = yield Step(calls=tuple(calls))
    if problem := sum_failure(talk, outcomes):
        return Step(problem)
    share, *sums = [outcome.output for outcome in outcomes]
    return Step(share_text(talk, question, share, sums))


def share_text(talk: Talk, question: Question, share: str, sums: list[str]) -> str:
    base, rate = shown(question.base), f"{shown(question.rate)} %"
    sentence = talk.pick(f"{rate} of {base} is **{shown(share)}**", f"{base} 的 {rate} 是 **{shown(share)}**")
    if not sums:
        return talk.pick(f"{sentence}.", f"{sentence}。")
    result = shown(sums[0])
    ending = {
        1: talk.pick(f", and together that is **{result}**.", f"，合计 **{result}**。"),
        -1: talk.pick(f", which leaves **{result}**.", f"，剩下 **{result}**。"),
    }[question.direction]
    name = talk.pick("VAT", "增值税") if question.is_tax else ""
    sign = "+" if question.direction > 0 else "−"
    rows = [
        [talk.pick("Amount", "金额"), base],
        [f"{sign} {rate} {name}".rstrip(), shown(share)],
        [talk.pick("**Result**", "**结果**"), f"**{result}**"],
    ]
    head = ["", talk.pick("Value", "数值")]
    return joined(sentence + ending, table(head, rows, right="lr"))


def tell_ratio(talk: Talk, part: Decimal, whole: Decimal) -> Plan:
    outcomes = yield Step(
        calls=(Call("calculator", {"expression": f"{written(part)} / {written(whole)} * 100"}),)
    )
    if problem := sum_failure(talk, outcomes):
        return Step(problem)
    result = shown(outcomes[0].output)
    return Step(
        talk.pick(
            f"{shown(part)} is **{result} %** of {shown(whole)}.",
            f"{shown(part)} 是 {shown(whole)} 的 **{result} %**。",
        )
    )
