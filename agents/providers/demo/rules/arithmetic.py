"""Sums in figures and in words: `what is 12 times 7?`, `2^64; 5!`, `average of 3, 4 and 8`, `三加五`."""

from __future__ import annotations

import re

from agents.providers.demo.markdown import code, table
from agents.providers.demo.numbers import shown, with_digits
from agents.providers.demo.plan import Call, Plan, Step, joined
from agents.providers.demo.rules.failures import failure
from agents.providers.demo.rules.wording import any_of
from agents.providers.demo.talk import Talk

MAX_EXPRESSIONS = 6
LEAD = any_of(
    r"^(?:please |can you |could you |hey,? )*"
    r"(?:what(?:'s|’s| is| are)|how much (?:is|are)|calculate|compute|work out|evaluate|solve"
    r"|请|帮我|计算|算一下|算算|算|求)+\s*[:：]?\s*"
)
TAIL = re.compile(
    r"(?:等于几|等于多少|是多少|得多少|是几|得几|有多少|equals?|=|\?|？|。|\.|(?<![\d)])!|\s|，)+$",
    re.IGNORECASE,
)
WORDS = [
    (re.compile(pattern, re.IGNORECASE), sign)
    for pattern, sign in (
        (r"\b(?:multiplied by|times)\b|乘以|乘", "*"),
        (r"\b(?:divided by|over)\b|除以", "/"),
        (r"\bplus\b|加上?", "+"),
        (r"\bminus\b|减去?", "-"),
        (r"\b(?:to the power of|to the)\b", "^"),
        (r"\bsquared\b|的平方", "^2"),
        (r"\bcubed\b|的立方", "^3"),
        (r"\b(?:the )?square root of\b|根号", "√"),
        (r"\bpercent\b", "%"),
    )
]
EXPRESSION = re.compile(
    r"(?:\d(?:\.\d+)?e[+-]?\d+|[\d\s.,+\-*/^%()!×÷−–√π²³（）]|\*\*|\b(?:sqrt|cbrt|round|floor|ceil|abs|min|max|sum|avg|mean|ln|log|log10|log2|exp"
    r"|factorial|gcd|lcm|sin|cos|tan|asin|acos|atan|degrees|radians|pi|tau|e|mod|of|x)\b)+"
)
DOES_SOMETHING = re.compile(r"\d\s*[+\-*/^%!×÷−–²³]|√|[a-z]\s*\(|\d\s*x\s*\d", re.IGNORECASE)
SEPARATORS = re.compile(r"\s*(?:;|；|\n|\band\b|和|以及)\s*", re.IGNORECASE)
ITEM = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"  # `3,4` is two of them, `3,400` is one
LIST = re.compile(
    rf"\b(?P<what>sum|total|average|mean|minimum|maximum)\s+of\s+"
    rf"(?P<items>(?:{ITEM})(?:\s*(?:,\s*and|,|and|;)\s*(?:{ITEM}))+)"
    rf"|(?P<items_zh>(?:{ITEM})(?:\s*[、，,和]\s*(?:{ITEM}))+)\s*的?(?P<what_zh>总和|平均数|平均值?|和)",
    re.IGNORECASE,
)
FUNCTIONS = {
    "average": "avg",
    "mean": "avg",
    "minimum": "min",
    "maximum": "max",
    "平均": "avg",
    "平均值": "avg",
    "平均数": "avg",
}


def arithmetic_rule(talk: Talk) -> Plan | None:
    if "calculator" not in talk.tools or len(talk.text) > 1_000:
        return None
    found = expressions_of(talk.text, is_chinese=talk.is_chinese)
    return compute(talk, found[:MAX_EXPRESSIONS]) if found else None


def expressions_of(text: str, *, is_chinese: bool) -> list[str]:
    if listed := LIST.search(text):
        return [list_expression(listed)]
    body = TAIL.sub("", LEAD.sub("", text.strip()))
    body = with_digits(body) if is_chinese else body
    for pattern, sign in WORDS:
        body = pattern.sub(f" {sign} ", body)
    parts = [" ".join(part.split()) for part in SEPARATORS.split(body) if part.strip()]
    return parts if parts and all(is_expression(part) for part in parts) else []


def is_expression(text: str) -> bool:
    return bool(EXPRESSION.fullmatch(text.lower()) and DOES_SOMETHING.search(text))


def list_expression(match: re.Match[str]) -> str:
    what = (match["what"] or match["what_zh"]).lower()
    items = re.findall(ITEM, match["items"] or match["items_zh"])
    return f"{FUNCTIONS.get(what, 'sum')}({', '.join(item.replace(',', '') for item in items)})"


def compute(talk: Talk, expressions: list[str]) -> Plan:
    outcomes = yield Step(calls=tuple(Call("calculator", {"expression": text}) for text in expressions))
    good = [
        (text, outcome.output)
        for text, outcome in zip(expressions, outcomes, strict=True)
        if not outcome.is_error
    ]
    return Step(joined(results(talk, good), failure(talk, outcomes)))


def results(talk: Talk, pairs: list[tuple[str, str]]) -> str:
    if not pairs:
        return ""
    if len(pairs) == 1:
        return f"{code(pairs[0][0])} = **{shown(pairs[0][1])}**"
    head = talk.pick("Expression|Result", "算式|结果").split("|")
    return table(head, [[code(text), f"**{shown(value)}**"] for text, value in pairs], right="lr")
