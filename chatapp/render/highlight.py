"""Code → escaped HTML in five colours, bounded in size and time.

The classes: k(eyword), s(tring), n(umber), f(unction), c(omment).
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from functools import lru_cache
from html import escape
from itertools import groupby

from pygments.lexer import Lexer
from pygments.lexers import get_all_lexers, get_lexer_by_name
from pygments.token import Token, _TokenType, is_token_subtype

MAX_CODE = 100_000  # characters; longer code stays plain
CPU_SECONDS = 2.0
# Many lexers take quadratic time over these, inside one match, which nothing can interrupt.
_TRAPS = re.compile(r"[^\n]{1001}|\s{301}|(?:[ \t]*\n){31}")

_CLASSES = (
    (Token.Comment.Preproc, "k"),
    (Token.Comment, "c"),
    (Token.Keyword.Type, "f"),
    (Token.Keyword, "k"),
    (Token.Operator.Word, "k"),
    (Token.Literal.Number, "n"),
    (Token.Literal.String.Interpol, ""),
    (Token.Literal.String, "s"),
    (Token.Name.Builtin, "f"),
    (Token.Name.Function, "f"),
    (Token.Name.Class, "f"),
    (Token.Name.Decorator, "f"),
    (Token.Name.Tag, "k"),
    (Token.Name.Attribute, "f"),
    (Token.Name.Constant, "n"),
    (Token.Name.Variable, "f"),
    (Token.Generic.Deleted, "n"),
    (Token.Generic.Inserted, "s"),
    (Token.Generic.Heading, "k"),
    (Token.Generic.Subheading, "k"),
    (Token.Generic.Prompt, "c"),
)
_LABELS = {"text": "", "plaintext": "", "txt": "", "output": "", "console": "Shell", "shell-session": "Shell"}
_NAMES = {alias: name for name, aliases, _, _ in get_all_lexers(plugins=False) for alias in aliases}


def highlight(code: str, language: str) -> str:
    lexer = _lexer(language.lower()) if len(code) <= MAX_CODE and not _TRAPS.search(code) else None
    return (_spans(lexer, code) if lexer else None) or escape(code)


def language_label(language: str) -> str:
    """'Python' for 'py'; a name nobody knows stays as it was written."""
    name = language.lower()
    return _LABELS[name] if name in _LABELS else _NAMES.get(name, language[:40])


@lru_cache(maxsize=128)
def _lexer(name: str) -> Lexer | None:
    if name not in _NAMES or _LABELS.get(name) == "":
        return None
    return get_lexer_by_name(name, stripnl=False, ensurenl=False)


def _spans(lexer: Lexer, code: str) -> str | None:
    """None when it takes too long."""
    try:
        tokens = groupby(_in_time(lexer.get_tokens(code)), key=_class_of)
        return "".join(_span(name, "".join(value for _, value in run)) for name, run in tokens)
    except TimeoutError:
        return None


def _in_time(tokens: Iterator[tuple[_TokenType, str]]) -> Iterator[tuple[_TokenType, str]]:
    """By the thread's own clock: a busy machine must not change what comes out."""
    deadline = time.thread_time() + CPU_SECONDS
    for token in tokens:
        if time.thread_time() > deadline:
            raise TimeoutError
        yield token


def _span(name: str, text: str) -> str:
    return f'<span class="{name}">{escape(text)}</span>' if name and not text.isspace() else escape(text)


def _class_of(token: tuple[_TokenType, str]) -> str:
    return _class_of_type(token[0])


@lru_cache(maxsize=512)
def _class_of_type(kind: _TokenType) -> str:
    return next((name for parent, name in _CLASSES if is_token_subtype(kind, parent)), "")
