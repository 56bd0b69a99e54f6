"""From what people type to a Python syntax tree: `1,240 + 17.5 % of 90`, `2^10`, `√2`, `5!`, `３×４`.

Numbers become names (`_0`, `_1`, …) with their text kept aside, so that no digit passes through a float. A
postfix `%` or `!` becomes a power of a sentinel name, since a power binds as tightly as they do.
"""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from agents.errors import ToolError

MAX_LENGTH = 2_000
MAX_NESTING = 50
PERCENT = "_percent"
FACTORIAL = "_factorial"

# Before NFKC, which would turn a raised 2 into a plain one.
SIGNS = str.maketrans(
    {"²": "^2 ", "³": "^3 ", "×": "*", "✕": "*", "÷": "/", "−": "-", "–": "-", "√": " sqrt ", "、": ","}
)
BARE_ROOT = re.compile(r"\bsqrt\s*(\d+(?:\.\d+)?)")
TOKEN = re.compile(
    r"\s*(?:(?P<grouped>\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d+)?)|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-zπ][A-Za-z0-9]*)|(?P<sign>\*\*|//|[-+*/%^(),!]))"
)
WORD_SIGNS = {"x": "*", "of": "*", "mod": "%"}


@dataclass(frozen=True, slots=True)
class Expression:
    tree: ast.expr
    numbers: dict[str, str]


@dataclass(frozen=True, slots=True)
class Token:
    kind: str
    text: str


NOTHING = Token("", "")


def parse(text: str) -> Expression:
    """Raises ToolError with the reason when the text is no expression."""
    if len(text) > MAX_LENGTH:
        raise ToolError(f"The expression is too long: {len(text):,} characters, {MAX_LENGTH:,} are allowed.")
    tokens = read_tokens(normalise(text))
    if not tokens:
        raise ToolError("The expression is empty.")
    numbers: dict[str, str] = {}
    source = " ".join(write(tokens, numbers))
    try:
        return Expression(ast.parse(source, mode="eval").body, numbers)
    except (SyntaxError, RecursionError, MemoryError):
        raise ToolError(f"This is not an arithmetic expression: {text.strip()[:80]}") from None


def normalise(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text.translate(SIGNS)).strip().rstrip("=? ")
    return BARE_ROOT.sub(r"sqrt(\1)", plain)


def read_tokens(text: str) -> list[Token]:
    tokens: list[Token] = []
    calls: list[bool] = []  # for each open parenthesis: is it a function's?
    position = 0
    while position < len(text):
        match = TOKEN.match(text, position)
        if match is None:
            raise ToolError(f"Unexpected character {text[position:].strip()[0]!r} in the expression.")
        token, position = take(match, inside_call=bool(calls) and calls[-1])
        follow_parentheses(calls, token, before=tokens[-1] if tokens else NOTHING)
        tokens.append(token)
    return tokens


def take(match: re.Match[str], *, inside_call: bool) -> tuple[Token, int]:
    """Inside `max(1,200)` a comma separates; elsewhere `1,200` is one number."""
    kind = match.lastgroup or ""
    if kind != "grouped":
        return Token(kind, match[kind].lower()), match.end()
    if inside_call:
        first = match[kind].split(",")[0]
        return Token("number", first), match.start(kind) + len(first)
    return Token("number", match[kind].replace(",", "")), match.end()


def follow_parentheses(calls: list[bool], token: Token, *, before: Token) -> None:
    if token.text == "(":
        calls.append(before.kind == "name")
    elif token.text == ")" and calls:
        calls.pop()
    if len(calls) > MAX_NESTING:
        raise ToolError(f"More than {MAX_NESTING} parentheses inside one another.")


def write(tokens: list[Token], numbers: dict[str, str]) -> Iterator[str]:
    previous = NOTHING
    for token, following in zip(tokens, [*tokens[1:], NOTHING], strict=True):
        if is_times_left_out(previous, token):
            yield "*"
        if token.kind == "number":
            name = f"_{len(numbers)}"
            numbers[name] = token.text
            yield name
        else:
            yield written(token, following)
        previous = token


def written(token: Token, following: Token) -> str:
    if token.text == "%":
        return "%" if is_start_of_operand(following) else f"** {PERCENT}"
    if token.text in WORD_SIGNS:
        return WORD_SIGNS[token.text]
    return {"^": "**", "!": f"** {FACTORIAL}", "π": "pi"}.get(token.text, token.text)


def is_times_left_out(previous: Token, token: Token) -> bool:
    """`2(3 + 4)`, `2 pi`, `(1)(2)`, as on paper. Two numbers side by side stay an error."""
    if token.text in WORD_SIGNS:
        return False
    if token.text == "(" or token.kind == "name":
        return previous.kind == "number" or previous.text in (")", "!")
    return token.kind == "number" and previous.text == ")"


def is_start_of_operand(token: Token) -> bool:
    """What makes a `%` the remainder of a division, and not a percentage."""
    return (
        token.kind == "number" or token.text == "(" or (token.kind == "name" and token.text not in WORD_SIGNS)
    )
