"""The last gate before a page. The renderer makes only what passes here; if it ever errs, this holds."""

from __future__ import annotations

import nh3

SCHEMES = {"http", "https", "mailto", "tel"}

_ALIGNED = {"start", "center", "end", "number"}
_HEADINGS = {"h3", "h4", "h5", "h6"}

_cleaner = nh3.Cleaner(
    tags=_HEADINGS
    | {"p", "br", "hr", "strong", "em", "s", "a", "img", "code", "pre", "div", "span", "blockquote"}
    | {"ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td"},
    attributes={
        "*": {"dir"},
        "a": {"href", "title", "target"},
        "img": {"src", "alt", "title", "loading"},
        "ol": {"start"},
        "pre": {"tabindex"},
        "th": {"scope"},
        "div": {"data-lines", "data-rows", "role", "tabindex", "aria-label"},
    },
    allowed_classes={
        "div": {"code", "code-head", "table", "long"},
        "span": {"code-lang", "task", "k", "s", "n", "f", "c"},
        "p": {"plain"},
        "th": _ALIGNED,
        "td": _ALIGNED,
        **{tag: {f"h{n}" for n in range(1, 7)} for tag in _HEADINGS},
    },
    url_schemes=SCHEMES,
    link_rel="noopener nofollow",
)


def clean_html(html: str) -> str:
    return _cleaner.clean(html)
