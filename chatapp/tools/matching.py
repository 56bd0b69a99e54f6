"""How tools look for words: in any case, in the middle of words too; CJK, `C++` and `100%` are found."""

from __future__ import annotations

import re

from django.db.models import Q

from agents.errors import ToolError

MAX_WORDS = 8


def words_of(query: str) -> list[str]:
    """The words to look for, in lower case; ToolError when there is none."""
    words = list(dict.fromkeys(query.lower().split()))[:MAX_WORDS]
    if not words:
        raise ToolError("Nothing to search for: the query is empty.")
    return words


def contains(field: str, word: str) -> Q:
    """By regular expression, since SQLite's LIKE knows the two cases of ASCII letters only."""
    return Q(**{f"{field}__iregex": re.escape(word)})
