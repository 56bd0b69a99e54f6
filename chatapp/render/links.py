"""Links and images: bare addresses become links, images of other servers too, and hosts are named."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

# ASCII only: what follows an address in Chinese or Japanese text is not part of it.
_ADDRESS = re.compile(r"https?://[\w\-._~:/?#\[\]@!$&'()*+,;=%|]+", re.ASCII | re.IGNORECASE)
_AFTER = ".,:;!?'\"*_~"


def link_addresses(state: StateCore) -> None:
    """Rule: text like https://example.org/a becomes a link."""
    for token in state.tokens:
        if token.children and "://" in token.content:
            token.children = list(_with_links(token.children))


def name_hosts(state: StateCore) -> None:
    """Rule: a link to another server opens a new tab and says on hover where it goes."""
    for token in state.tokens:
        for child in token.children or ():
            if child.type == "link_open":
                _name_host(child)


def is_own(url: str) -> bool:
    """A path on this server. `//host` and `/\\host` are other servers to a browser."""
    return url.startswith("/") and url[1:2] not in ("/", "\\")


def _name_host(link: Token) -> None:
    href = str(link.attrGet("href") or "")
    if not is_own(href) and (host := _host(href)):
        link.attrSet("target", "_blank")
        link.attrSet("title", host)


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _with_links(tokens: list[Token]) -> Iterator[Token]:
    depth = 0
    for token in tokens:
        depth += token.nesting if token.type in ("link_open", "link_close") else 0
        if token.type == "text" and not depth:
            yield from _split(token.content)
        else:
            yield token


def _split(text: str) -> Iterator[Token]:
    start = 0
    for match in _ADDRESS.finditer(text):
        url = _trimmed(match.group())
        if len(url) > len("https://"):
            yield _text(text[start : match.start()])
            yield from _link(url)
            start = match.start() + len(url)
    yield _text(text[start:])


def _trimmed(url: str) -> str:
    """Without the punctuation of the sentence around it; a closing bracket stays if it was opened inside."""
    while url and (url[-1] in _AFTER or (url[-1] == ")" and url.count(")") > url.count("("))):
        url = url[:-1]
    return url


def _link(url: str) -> Iterator[Token]:
    yield Token("link_open", "a", 1, attrs={"href": url})
    yield _text(url)
    yield Token("link_close", "a", -1)


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)
