"""What people say: lines in the fake model's language, each with a name that nobody else uses.

A token stands in every message and, by the language, in every answer to it: whoever sees the token of
somebody else has seen what is not theirs.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable

TOKEN = re.compile(r"\bk[0-9a-f]{10}z\b")
WORDS = (  # noqa: SIM905 (a list of thirty strings reads worse)
    "amber bridge cloud delta ember frost grove harbour inlet juniper kettle lantern meadow north orchard "
    "pebble quarry river saddle timber umber valley willow yarrow zephyr 墨 海 é 🙂 **bold** `code`"
).split(" ")
RATES = ("", "@300", "@80", "@40", "@20")

Shape = Callable[[str, random.Random], str]


class Speaker:
    """Makes the messages of one person."""

    def __init__(self, seed: int, number: int) -> None:
        self._dice = random.Random(f"{seed}/words/{number}")
        self.token = f"k{self._dice.getrandbits(40):010x}z"
        self._count = 0

    def next(self) -> str:
        self._count += 1
        shapes, weights = zip(*SHAPES, strict=True)
        shape: Shape = self._dice.choices(shapes, weights)[0]
        return shape(f"{self.token}-{self._count}", self._dice)

    def plain(self) -> str:
        """One that has nothing in it that could go wrong."""
        self._count += 1
        return f"text {self.token}-{self._count} is short"


def tokens_in(text: str) -> set[str]:
    return set(TOKEN.findall(text))


def _said(name: str, dice: random.Random, *, most: int = 60) -> str:
    words = " ".join(dice.choices(WORDS, k=dice.randint(1, most)))
    return f"text {name} {words} {dice.choice(RATES)}".rstrip()


def _call(tool: str, name: str, dice: random.Random, number: int = 0) -> str:
    arguments = {"note": f"{name}/{number}", "ms": dice.choice((0, 20, 200, 600, 1500))}
    return f"tool {tool} {json.dumps(arguments)}{dice.choice(('', ' @40'))}"


def talk(name: str, dice: random.Random) -> str:
    return _said(name, dice)


def think(name: str, dice: random.Random) -> str:
    return f"think {dice.randint(3, 40)} @60 | {_said(name, dice)}"


def use_tool(name: str, dice: random.Random) -> str:
    tool = dice.choice(("pay", "pay", "book", "lookup", "scan", "refuse", "unknown_tool"))
    return f"{_said(name, dice, most=15)} | {_call(tool, name, dice)} | then {_said(name, dice)}"


def use_tools(name: str, dice: random.Random) -> str:
    tools = dice.choices(("pay", "transfer", "book", "lookup", "scan"), k=dice.randint(2, 4))
    calls = " | ".join(_call(tool, name, dice, number) for number, tool in enumerate(tools))
    return f"{_said(name, dice, most=5)} | {calls} | then {_said(name, dice)}"


def work_long(name: str, dice: random.Random) -> str:
    turns = [
        f"{_said(name, dice, most=8)} | {_call(dice.choice(('pay', 'lookup')), name, dice, number)}"
        for number in range(dice.randint(2, 4))
    ]
    return " | then ".join([*turns, _said(name, dice)])


def stumble(name: str, dice: random.Random) -> str:
    """Goes well at a second or third attempt."""
    trouble = dice.choice(("error 429 retry 0.2 x1", "error 500 x2", "fail overloaded x1", "hang 2"))
    return f"{trouble} | {_said(name, dice)}"


def break_off(name: str, dice: random.Random) -> str:
    """In the middle of the text."""
    return (
        f"{_said(name, dice, most=30)} | {dice.choice(('cut x1', 'drop x1', 'fail overloaded x2', 'hang 3'))}"
    )


def fail(name: str, dice: random.Random) -> str:
    return f"{dice.choice(('error 400 no such thing', 'error 500', 'error 401'))} | {_said(name, dice)}"


def hang(name: str, dice: random.Random) -> str:
    return f"{_said(name, dice, most=20)} | hang" if dice.random() < 0.5 else f"hang | {_said(name, dice)}"


def stray(name: str, dice: random.Random) -> str:
    return f"{_said(name, dice, most=10)} | {dice.choice(('half', 'lone', 'markdown 120 @100'))}"


SHAPES: tuple[tuple[Shape, int], ...] = (
    (talk, 30),
    (think, 8),
    (use_tool, 18),
    (use_tools, 12),
    (work_long, 8),
    (stumble, 7),
    (break_off, 6),
    (fail, 4),
    (hang, 4),
    (stray, 3),
)
