"""Tables: each in a scroll box of its own that is named by its columns; columns of numbers stand right."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

LONG_TABLE = 50  # rows; the page folds longer ones

_ALIGN = {"text-align:left": "start", "text-align:center": "center", "text-align:right": "end"}
_NUMBER = re.compile(r"[-+−±~≈]?[^\w\s]?\s?\d[\d\s.,'’_]*(?:\s?(?:%|‰|[^\W\d]{1,3}|[^\w\s]))?")


def shape_tables(state: StateCore) -> None:
    """Rule: alignment as classes (the page allows no style attribute); the table a name and a row count."""
    tokens = state.tokens
    for start in (n for n, token in enumerate(tokens) if token.type == "table_open"):
        _shape(tokens[start], list(_rows(tokens, start)))


def _shape(table: Token, rows: list[list[tuple[Token, str]]]) -> None:
    head, *body = rows
    table.meta["name"] = ", ".join(text.strip("*_`") for _, text in head if text)[:100]
    table.meta["rows"] = len(body)
    for column, (header, _) in enumerate(head):
        cells = [row[column] for row in body if column < len(row)]
        align = _declared(header) or _numeric(column, [text for _, text in cells])
        for cell, _ in [head[column], *cells]:
            cell.attrs.pop("style", None)
            if align:
                cell.attrSet("class", align)


def _declared(cell: Token) -> str:
    return _ALIGN.get(str(cell.attrGet("style")), "")


def _numeric(column: int, texts: list[str]) -> str:
    """The first column names the row, even where it is a number."""
    filled = [text.strip("*_`") for text in texts if text]
    is_numbers = column > 0 and filled and all(_NUMBER.fullmatch(text) for text in filled)
    return "number" if is_numbers else ""


def _rows(tokens: list[Token], start: int) -> Iterator[list[tuple[Token, str]]]:
    row: list[tuple[Token, str]] = []
    for n in range(start, len(tokens)):
        kind = tokens[n].type
        if kind in ("th_open", "td_open"):
            row.append((tokens[n], tokens[n + 1].content))
        elif kind == "tr_close":
            yield row
            row = []
        elif kind == "table_close":
            return
