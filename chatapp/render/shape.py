"""What the block that is being written looks like already: its kind, from the first characters of it.

A guess for the eye only. What the block is, the parser says when it is closed.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Any

from chatapp.render.highlight import language_label

FENCE = re.compile(r" {0,3}(`{3,}(?=[^`|]*$)|~{3,}(?=[^|]*$))[ \t]*([^\s`]*)")
MARKER = re.compile(r"( *)([-*+]|\d{1,9}[.)])[ \t]+(?:\[([ xX])\][ \t]+)?")

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+")
_QUOTE = re.compile(r" {0,3}> ?")
_TABLE = re.compile(r" {0,3}\|")
_CODE = re.compile(r" {4}|\t")
# Could still become a marker: shown only when the next character tells.
_UNDECIDED = re.compile(r" *(?:#{1,6}|[-*+]|\d{1,9}[.)]|`{1,2}|~{1,2}|\|?[-:| ]*)[ \t]*")
_LONGEST_MARKER = 80


@dataclass(frozen=True, slots=True)
class OpenBlock:
    """The block that is being written. `lang` is the name in the head of code; `marker` and
    `depth` are those of a list item.

    Kinds: p, h1…h6, pre, li, quote, table, and `code`: the last code block of the block sent before goes on.
    """

    kind: str
    text: str
    lang: str = ""
    marker: str = ""
    depth: int = 0

    def as_dict(self) -> dict[str, Any]:
        """For the wire: without what is empty."""
        return {key: value for key, value in asdict(self).items() if value or key in ("kind", "text")}


@dataclass(frozen=True, slots=True)
class Shape:
    """`skip`: characters of the first line that are markup; not `is_sure`: a marker is half-written."""

    kind: str = "p"
    lang: str = ""
    marker: str = ""
    depth: int = 0
    skip: int = 0
    is_sure: bool = True

    def block(self, text: str) -> OpenBlock:
        shown = text[self.skip :] if self.is_sure else ""
        return OpenBlock(self.kind, shown, self.lang, self.marker, self.depth)


def shape_of(line: str) -> Shape:
    """The shape of a block that begins with this line, which may not be whole yet."""
    if _is_undecided(line):
        return Shape(is_sure=False)
    if fence := FENCE.match(line):
        return _fence(line, fence)
    if heading := _HEADING.match(line):
        return Shape(f"h{len(heading[1])}", skip=heading.end())
    if quote := _QUOTE.match(line):
        return Shape("quote", skip=quote.end())
    if marker := MARKER.match(line):
        return _item(marker, depth=0)
    if _CODE.match(line):
        return Shape("pre", skip=4 if line[0] == " " else 1)
    return Shape("table" if _TABLE.match(line) else "p")


def shape_in_list(line: str, levels: list[int], *, is_after_blank: bool) -> Shape:
    """The shape of a line after a list that was sent so far; `levels`: the indents of its open items."""
    if _is_undecided(line):
        return Shape(is_sure=False)
    indent = len(line) - len(line.lstrip(" "))
    if marker := MARKER.match(line):
        return _item(marker, depth=sum(level < indent for level in levels))
    if indent == 0 and is_after_blank:
        return shape_of(line)
    return Shape("li", depth=max(0, sum(level < indent for level in levels) - 1), skip=indent)


def shape_in_code(line: str, indent: int) -> Shape:
    return Shape("code", skip=min(indent, len(line) - len(line.lstrip(" "))))


def _is_undecided(line: str) -> bool:
    return len(line) <= _LONGEST_MARKER and _UNDECIDED.fullmatch(line) is not None


def _fence(line: str, fence: re.Match[str]) -> Shape:
    """Until its first line is whole nothing of it is code."""
    is_whole = line.endswith("\n")
    return Shape("pre", language_label(fence[2]) if is_whole else "", skip=len(line), is_sure=is_whole)


def _item(match: re.Match[str], *, depth: int) -> Shape:
    box = {" ": "☐", "x": "☑", "X": "☑"}.get(match[3] or "", "")
    marker = box or ("•" if match[2] in "-*+" else match[2])
    return Shape("li", marker=marker, depth=depth, skip=match.end())
