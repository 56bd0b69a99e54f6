"""A text as its top-level blocks: finding them, and the HTML of each."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import EnvType

from chatapp.render.clean import clean_html
from chatapp.render.highlight import MAX_CODE
from chatapp.render.markdown import MAX_INLINE, MAX_NESTING, parser

RENDERER_VERSION = 1  # raise it when the same text gives other HTML: stored HTML is kept under it
MAX_BLOCK = 200_000  # characters; a longer list or table is shown as it was written

_CODE = ("fence", "code_block")
_MAX_SIZE = {"paragraph": MAX_INLINE, "heading": MAX_INLINE}


@dataclass(frozen=True, slots=True)
class Block:
    """`kind` is the name of its first token without `_open`; lines are those of the text that was parsed."""

    kind: str
    tokens: list[Token]
    start: int
    end: int


def render_markdown(text: str) -> str:
    return "".join(render_blocks(text))


def render_blocks(text: str) -> list[str]:
    env: dict[str, Any] = {}
    source = normalize(text)
    lines = split_lines(source)
    return [render_block(block, lines, env) for block in find_blocks(source, env)]


def normalize(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")


def split_lines(text: str) -> list[str]:
    """Lines with their end. splitlines() would break at characters that are no line ends in Markdown."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def find_blocks(source: str, env: EnvType) -> list[Block]:
    """`env["references"]` gains the link definitions of the text."""
    tokens: list[Token] = []
    parser.block.parse(source, parser, env, tokens)
    return _split(tokens)


def render_block(block: Block, lines: list[str], env: EnvType) -> str:
    """What is too much for the parser is only escaped. It skips the cleaning, slow for a megabyte."""
    size = sum(map(len, lines[block.start : block.end]))
    if block.kind in _CODE:
        html = parser.renderer.render(block.tokens, parser.options, env)
        return html if size > MAX_CODE else clean_html(html)
    if size > _MAX_SIZE.get(block.kind, MAX_BLOCK) or _is_too_deep(block) or _is_blown_up(block, size):
        return f'<p class="plain" dir="auto">{escape("".join(lines[block.start : block.end]))}</p>'
    parser.core.process(StateCore("", parser, env, block.tokens))
    return clean_html(parser.renderer.render(block.tokens, parser.options, env))


def _is_too_deep(block: Block) -> bool:
    """The parser drops what is nested more deeply: better to show it all, as it was written."""
    return max(token.level for token in block.tokens) >= MAX_NESTING - 1


def _is_blown_up(block: Block, size: int) -> bool:
    """A table fills up short rows: a few characters a row would become thousands of cells."""
    return len(block.tokens) > 1_000 + 3 * size


def _split(tokens: list[Token]) -> list[Block]:
    blocks: list[Block] = []
    start = 0
    for n, token in enumerate(tokens):
        if token.level == 0 and token.nesting <= 0:
            blocks.append(_block(tokens[start : n + 1]))
            start = n + 1
    return blocks


def _block(tokens: list[Token]) -> Block:
    start, end = tokens[0].map or (0, 0)
    return Block(tokens[0].type.removesuffix("_open"), tokens, start, end)
