"""A text while it is being written: blocks go out once, as HTML, when nothing that follows can change them.

Work is linear in the text. Each character earns `SPEND` characters of parsing; a list or table that is not
finished is parsed and sent again as a whole only when enough was earned, so at intervals that grow with it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from markdown_it.token import Token

from chatapp.render.blocks import Block, find_blocks, normalize, render_block, split_lines
from chatapp.render.shape import FENCE, MARKER, OpenBlock, Shape, shape_in_code, shape_in_list, shape_of

SPEND = 6

_AT_ONCE = ("heading", "hr")  # but with a | in it the next line may make it a table
_ENDS = (*_AT_ONCE, "paragraph", "table", "blockquote")  # at a blank line
_SENT_AGAIN = ("bullet_list", "ordered_list", "table", "blockquote")
_IS_SENT_AGAIN = re.compile(r" {0,3}(?:[-*+>|]|\d{1,9}[.)])")
_HEAD = 200  # characters that tell a shape


@dataclass(frozen=True, slots=True)
class BlockUpdate:
    """`closed`: (number, HTML) of blocks; one that is sent again replaces itself. `open` replaces what the
    reader has of the open block; None: the text that was fed goes on (after `close`: nothing is open).
    """

    closed: list[tuple[int, str]]
    open: OpenBlock | None


class BlockStream:
    """Feed it the deltas of one text entry, then `close` it."""

    def __init__(self) -> None:
        self._lines: list[str] = []  # whole lines that belong to no closed block yet
        self._tail: list[str] = []  # pieces of the line that is being written
        self._held = ""  # a CR whose LF may follow
        self._count = 0  # closed blocks
        self._shown = 0  # lines of the open block that the reader has as HTML
        self._scanned = 0  # lines in which the end of an open fence was looked for
        self._credit = 0
        self._env: dict[str, Any] = {"references": {}}
        self._levels: list[int] = []
        self._code_indent: int | None = None
        self._shape: Shape | None = None
        self._is_moved = False

    def feed(self, text: str) -> BlockUpdate:
        text = self._normalized(text)
        self._credit += SPEND * len(text)
        closed = self._advance() if self._take(text) else []
        return BlockUpdate(closed, self._open())

    def close(self) -> BlockUpdate:
        """The text is whole: what was open is closed."""
        self._take("\n" if self._held else "")
        self._lines += ["".join(self._tail)] if self._tail else []
        self._tail = []
        blocks = find_blocks("".join(self._lines), self._env)
        closed = self._close(blocks, len(self._lines))
        return BlockUpdate(closed, None)

    def _normalized(self, text: str) -> str:
        text = self._held + text
        self._held = "\r" if text.endswith("\r") else ""
        return normalize(text.removesuffix("\r"))

    def _take(self, text: str) -> bool:
        """True when a line became whole."""
        *whole, rest = split_lines(text + "\n") if text else [""]
        if whole:
            self._lines.append("".join(self._tail) + whole[0])
            self._lines += whole[1:]
            self._tail = []
        if rest := rest.removesuffix("\n"):
            self._tail.append(rest)
        self._drop_blank_lines()
        return bool(whole)

    def _drop_blank_lines(self) -> None:
        blank = next((n for n, line in enumerate(self._lines) if not line.isspace()), len(self._lines))
        if blank:
            self._forget(blank)

    def _forget(self, lines: int) -> None:
        del self._lines[:lines]
        self._shown = self._scanned = 0
        self._levels, self._code_indent = [], None
        self._is_moved = True

    # --- closing ------------------------------------------------------------------------------

    def _advance(self) -> list[tuple[int, str]]:
        closed: list[tuple[int, str]] = []
        while self._lines:
            before = self._count
            closed += self._advance_fence() if FENCE.match(self._lines[0]) else self._advance_blocks()
            if self._count == before:
                break
        return closed

    def _advance_fence(self) -> list[tuple[int, str]]:
        """A fence needs no parser to find its end, however long it grows."""
        marker = FENCE.match(self._lines[0])
        assert marker is not None
        first = max(1, self._scanned)
        self._scanned = len(self._lines)
        last = next(
            (n for n in range(first, len(self._lines)) if _ends_fence(self._lines[n], marker[1])), None
        )
        if last is None:
            return []
        return self._close(find_blocks("".join(self._lines[: last + 1]), self._env), last + 1)

    def _advance_blocks(self) -> list[tuple[int, str]]:
        size = sum(map(len, self._lines))
        cost = size if _IS_SENT_AGAIN.match(self._lines[0]) else SPEND * size
        if self._credit < cost and not (self._is_at_end() and self._credit > -size):
            return []
        env = {**self._env, "references": dict(self._env["references"])}
        blocks = find_blocks("".join(self._lines), env)
        self._credit -= max(size, sum(len(block.tokens) for block in blocks))
        final, lines = self._final(blocks)
        if lines:
            self._keep_references(env, lines)
            return self._close(blocks[:final], lines)
        return self._send_again(blocks[-1], env) if blocks else []

    def _is_at_end(self) -> bool:
        """Whether the open block ends here for sure, so that looking pays."""
        first, last = self._lines[0], self._lines[-1]
        is_blank, is_indented = last.isspace(), last[0] in " \t"
        if first.startswith(("    ", "\t")):
            return not is_blank and not is_indented
        if not MARKER.match(first):
            return is_blank
        is_item = MARKER.match(last) is not None
        return not is_blank and not is_indented and not is_item and (self._lines[-2:-1] or [""])[0].isspace()

    def _final(self, blocks: list[Block]) -> tuple[int, int]:
        """How many blocks are final, and how many lines go with them."""
        end = blocks[-1].end if blocks else 0
        rest = self._lines[end:]
        if any(not line.isspace() for line in rest):  # link definitions, which leave no token
            return len(blocks), len(self._lines) if rest[-1].isspace() else end
        if blocks and not self._is_final(blocks[-1], has_blank_after=bool(rest)):
            return len(blocks) - 1, blocks[-1].start
        return len(blocks), len(self._lines)

    def _is_final(self, block: Block, *, has_blank_after: bool) -> bool:
        if block.kind == "fence":
            return block.end - block.start > 1 and _ends_fence(
                self._lines[block.end - 1], block.tokens[0].markup
            )
        if block.kind in _AT_ONCE and "|" not in self._lines[block.start]:
            return True
        return block.kind in _ENDS and has_blank_after

    def _close(self, blocks: list[Block], lines: int) -> list[tuple[int, str]]:
        closed = [
            (self._count + n, render_block(block, self._lines, self._env)) for n, block in enumerate(blocks)
        ]
        self._count += len(blocks)
        self._credit += sum(map(len, self._lines[:lines]))  # each character is closed once
        self._env.pop("highlighted", None)
        self._forget(lines)
        self._drop_blank_lines()
        return closed

    def _keep_references(self, env: dict[str, Any], lines: int) -> None:
        known: dict[str, Any] = self._env["references"]
        for label, reference in env["references"].items():
            if reference["map"][1] <= lines:
                known.setdefault(label, reference)

    # --- the open block -----------------------------------------------------------------------

    def _send_again(self, block: Block, env: dict[str, Any]) -> list[tuple[int, str]]:
        if block.kind not in _SENT_AGAIN:
            return []
        self._shown = len(self._lines)
        self._is_moved = True
        self._look_inside(block)
        env["highlighted"] = self._env.setdefault("highlighted", {})
        return [(self._count, render_block(block, self._lines, env))]

    def _look_inside(self, block: Block) -> None:
        """Where the next line would go on: the indents of the open items, and of an open fence."""
        self._levels = [
            _indent(self._lines[token.map[0]]) for token in _last_items(block.tokens) if token.map
        ]
        self._code_indent = None
        inner = next(token for token in reversed(block.tokens) if token.nesting >= 0)
        if inner.type == "fence" and inner.map and self._is_open_fence(inner, *inner.map):
            inner.meta["plain"] = True
            self._code_indent = _indent(self._lines[inner.map[0]])

    def _is_open_fence(self, token: Token, start: int, end: int) -> bool:
        has_end = end - start > 1 and _ends_fence(self._lines[end - 1].lstrip(), token.markup)
        return end == len(self._lines) and not has_end

    def _open(self) -> OpenBlock | None:
        shape = self._current_shape()
        is_known = shape == self._shape and not self._is_moved and shape.is_sure
        self._shape, self._is_moved = shape, False
        if is_known:
            return None
        return shape.block("".join(self._lines[self._shown :]) + "".join(self._tail))

    def _current_shape(self) -> Shape:
        line = self._first_open_line()
        if self._code_indent is not None:
            return shape_in_code(line, self._code_indent)
        if self._levels:
            is_after_blank = self._shown > 0 and self._lines[self._shown - 1].isspace()
            return shape_in_list(line, self._levels, is_after_blank=is_after_blank)
        return shape_of(line)

    def _first_open_line(self) -> str:
        if self._shown < len(self._lines):
            return self._lines[self._shown]
        return self._tail[0] if len(self._tail) == 1 else "".join(self._tail[:_HEAD])


def _ends_fence(line: str, marker: str) -> bool:
    return re.fullmatch(rf" {{0,3}}{marker[0]}{{{len(marker)},}}[ \t]*\n?", line) is not None


def _last_items(tokens: list[Token]) -> list[Token]:
    """The list items that are still open at the end, outermost first."""
    path: list[Token] = []
    for token in reversed(tokens):
        if token.type == "list_item_open" and (not path or token.level < path[-1].level):
            path.append(token)
    return path[::-1]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def render_partial(text: str) -> tuple[list[str], OpenBlock]:
    """A text that is still being written: the HTML of its blocks so far, and the open one."""
    update = BlockStream().feed(text)
    blocks = dict(update.closed)
    return [blocks[n] for n in sorted(blocks)], update.open or OpenBlock("p", "")
