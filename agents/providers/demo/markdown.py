"""Pieces of Markdown. What comes from people or tools is escaped, so that it shows as it was written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")
STARTS_BLOCK = re.compile(r"^(\d*)([-+=.)])(?=\s|$)")  # a list, or the underline of a heading


def plain(text: str) -> str:
    """The text on one line, none of it read as Markdown."""
    line = SPECIAL.sub(r"\\\1", " ".join(text.split()))
    return STARTS_BLOCK.sub(r"\1\\\2", line)


def quote(text: str) -> str:
    return "\n".join(f"> {plain(line)}".rstrip() for line in text.strip().splitlines())


def code(text: str) -> str:
    """Inline code, whatever backticks are in it."""
    line = " ".join(text.split())
    fence = "`" * (max((len(run) for run in re.findall(r"`+", line)), default=0) + 1)
    return f"{fence} {line} {fence}" if "`" in line else f"{fence}{line}{fence}"


def block(language: str, source: str) -> str:
    return f"```{language}\n{source.rstrip()}\n```"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, right: str = "") -> str:
    """`right` has one character per column, `r` for those that are set right."""
    align = ["---:" if mark == "r" else "---" for mark in right.ljust(len(head))]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, align, *rows])


def bullets(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def unmarked(text: str) -> str:
    """Roughly the words of a Markdown text, as for a note that quotes an answer."""
    return re.sub(r"\\([\W_])", r"\1", re.sub(r"(?<!\\)(\*\*|`|~~|^#+ |^> )", "", text, flags=re.MULTILINE))
