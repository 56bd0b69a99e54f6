"""From what people type to a Python syntax tree: `1,240 + 17.5 % of 90`, `2^10`, `√2`, `5!`, `３×４`.

Numbers become names (`_0`, `_1`, …) with their exact text kept aside, so that no digit passes through a float. A postfix
`%` or `!` becomes a power of a sentinel name, since that binds as tightly as they do.
"""

from __future__ import annotations

import ast
import re
import unicodedata
from dataclasses import dataclass, field

from agents.errors import ToolError

MAX_LENGTH = 2_000
MAX_NESTING = 50
PERCENT = "_percent"
FACTORIAL = "_factorial"

# Before NFKC, which would turn a raised 2 into a plain one.
SIGNS = str.maketrans(
    {
        "²": "^2 ",
        "³": "^3 ",
        "×": "*",
        "✕": "*",
        "·": "*",
        "÷": "/",
        "−": "-",
        "–": "-",
        "√": " sqrt ",
        "π": " pi ",
        "、": ",",
    }
)
TOKEN = re.compile(
    r"\s*(?:(?P<grouped>\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d+)?)|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z][A-Za-z0-9]*)|(?P<sign>\*\*|//|[-+*/%^(),!]))"
)


@dataclass(frozen=True, slots=True)
class Expression:
    tree: ast.expr
    numbers: dict[str, str]


@dataclass(slots=True)
class Token:
    kind: str
    text: str


@dataclass(slots=True)
class Writer:
    """Collects the pieces of the Python expression; `calls` says for each open parenthesis whether it is a function's."""

    numbers: dict[str, str] = field(default_factory=dict)
    pieces: list[str] = field(default_factory=list)

    def number(self, text: str) -> None:
        name = f"_{len(self.numbers)}"
        self.numbers[name] = text.replace(",", "")
        self.pieces.append(name)


def parse(text: str) -> Expression:
    """Raises ToolError with the reason when the text is no expression."""
    if len(text) > MAX_LENGTH:
        raise ToolError(f"The expression is too long: {len(text):,} characters, {MAX_LENGTH:,} are allowed.")
    tokens = read_tokens(unicodedata.normalize("NFKC", text.translate(SIGNS)).strip().rstrip("=?"))
    if not tokens:
        raise ToolError("The expression is empty.")
    writer = write(tokens)
    try:
        tree = ast.parse(" ".join(writer.pieces), mode="eval")
    except (SyntaxError, RecursionError, MemoryError):
        raise ToolError(f"This is not an arithmetic expression: {text.strip()[:80]}") from None
    return Expression(tree.body, writer.numbers)


def read_tokens(text: str) -> list[Token]:
    tokens: list[Token] = []
    calls: list[bool] = []
    position = 0
    while position < len(text.rstrip()):
        match = TOKEN.match(text, position)
        if match is None:
            raise ToolError(f"Unexpected character {text[position:].strip()[0]!r} in the expression.")
        token, position = take(match, inside_call=bool(calls) and calls[-1])
        follow_parentheses(calls, token, tokens)
        tokens.append(token)
    return tokens


def take(match: re.Match[str], *, inside_call: bool) -> tuple[Token, int]:
    """Inside `max(1,200)` a comma separates; elsewhere `1,200` is one number."""
    kind = match.lastgroup or ""
    if kind == "grouped" and inside_call:
        first = match["grouped"].split(",")[0]
        return Token("number", first), match.start("grouped") + len(first)
    return Token("number" if kind == "grouped" else kind, match[kind]), match.end()


def follow_parentheses(calls: list[bool], token: Token, before: list[Token]) -> None:
    if token.text == "(":
        calls.append(bool(before) and before[-1].kind == "name")
    elif token.text == ")" and calls:
        calls.pop()
    if len(calls) > MAX_NESTING:
        raise ToolError(f"Too many parentheses inside one another (more than {MAX_NESTING}).")


def write(tokens: list[Token]) -> Writer:
    writer = Writer()
    previous = Token("", "")
    for token, following in zip(tokens, [*tokens[1:], Token("", "")], strict=True):
        if needs_times(previous, token):
            writer.pieces.append("*")
        write_token(writer, token, following)
        previous = token
    return writer


def needs_times(previous: Token, token: Token) -> bool:
    """`2(3 + 4)`, `2 pi`, `(1)(2)`: the sign is left out, as on paper. Two numbers side by side stay an error."""
    if is_word_sign(token) or is_word_sign(previous):
        return False
    if token.text == "(" or token.kind == "name":
        return previous.kind == "number" or previous.text in (")", "!")
    return token.kind == "number" and previous.text == ")"


def is_word_sign(token: Token) -> bool:
    return token.kind == "name" and token.text.lower() in ("x", "of", "mod")


def write_token(writer: Writer, token: Token, following: Token) -> None:
    word = token.text.lower()
    if token.kind == "number":
        writer.number(token.text)
    elif token.kind == "name":
        write_name(writer, word, following)
    elif word == "%":
        writer.pieces.append("%" if starts_operand(following) else f"** {PERCENT}")
    else:
        writer.pieces.append({"^": "**", "!": f"** {FACTORIAL}"}.get(word, word))


def write_name(writer: Writer, word: str, following: Token) -> None:
    if word == "sqrt" and following.kind == "number":
        writer.pieces.append("_0_5_ **" if False else "sqrt")
    else:
        writer.pieces.append({"x": "*", "of": "*", "mod": "%"}.get(word, word))


def starts_operand(token: Token) -> bool:
    """What makes a `%` the remainder of a division, and not a percentage."""
    return token.kind == "number" or token.text == "(" or (token.kind == "name" and not is_word_sign(token))
