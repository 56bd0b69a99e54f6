"""The parser, and the HTML of each token. Raw HTML is text. Text finds its direction; code has one."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from chatapp.render.highlight import highlight, language_label
from chatapp.render.links import is_own, link_addresses, name_hosts
from chatapp.render.tables import LONG_TABLE, shape_tables

MAX_NESTING = 40
MAX_INLINE = 20_000  # characters of one paragraph or cell; a longer one is shown as it was written
LONG_CODE = 40  # lines; the page folds longer ones

_BOXES: dict[object, str] = {True: "☑", False: "☐"}

_DIRECTED = {"paragraph_open", "heading_open", "blockquote_open", "list_item_open", "th_open", "td_open"}


class Renderer(RendererHTML):
    """HTML for the tokens whose HTML differs from the library's."""

    def heading_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """h1 and h2 are the page's own. An answer's stand below without a gap; their looks go by class."""
        level = int(tokens[idx].tag[1])
        env["heading"] = min(level + 2, 6, env.get("heading", 2) + 1)
        return f'<h{env["heading"]} class="h{level}" dir="auto">'

    def heading_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f"</h{env['heading']}>"

    def list_item_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        token = tokens[idx]
        token.attrs.pop("class", None)
        box = _BOXES.get(token.meta.get("checked"), "")
        return self.renderToken(tokens, idx, options, env) + (
            f'<span class="task">{box}</span> ' if box else ""
        )

    def bullet_list_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        tokens[idx].attrs.pop("class", None)
        return self.renderToken(tokens, idx, options, env)

    def table_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        name, rows = tokens[idx].meta["name"], tokens[idx].meta["rows"]
        group = f' role="group" aria-label="{escape(name)}"' if name else ""
        long = " long" if rows > LONG_TABLE else ""
        return f'<div class="table{long}" data-rows="{rows}" tabindex="0"{group}><table>\n'

    def table_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return "</table></div>\n"

    def code_inline(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f'<code dir="ltr">{escape(tokens[idx].content)}</code>'

    def code_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return _code(tokens[idx].content, "", env)

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        language, _, _ = tokens[idx].info.strip().partition(" ")
        return _code(tokens[idx].content, "" if tokens[idx].meta.get("plain") else language, env, language)

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Only from this server: any other address would tell a stranger who reads this, and when."""
        token = tokens[idx]
        src = str(token.attrGet("src") or "")
        name = self.renderInlineAsText(token.children, options, env) or str(token.attrGet("title") or "")
        if is_own(src):
            return f'<img src="{escape(src)}" alt="{escape(name)}" loading="lazy">'
        return (
            f'<a href="{escape(src)}" target="_blank" title="{escape(src[:200])}">{escape(name or src)}</a>'
        )


def _code(code: str, language: str, env: EnvType, label: str = "") -> str:
    lines = code.count("\n")
    long = " long" if lines > LONG_CODE else ""
    name = escape(language_label(label))
    return (
        f'<div class="code{long}" data-lines="{lines}">'
        f'<div class="code-head"><span class="code-lang">{name}</span></div>'
        f'<pre dir="ltr" tabindex="0"><code>{_highlighted(code, language, env)}</code></pre></div>\n'
    )


def _highlighted(code: str, language: str, env: EnvType) -> str:
    """A list that is sent again while it grows holds the same code again and again: `env` remembers it."""
    if not language:
        return escape(code)
    known: dict[tuple[str, str], str] = env.setdefault("highlighted", {})
    if (language, code) not in known:
        known[language, code] = highlight(code, language)
    return known[language, code]


def _limit_inline(state: StateCore) -> None:
    """Rule: emphasis and links are searched for in time that may grow with the square of the length."""
    for token in state.tokens:
        if token.type == "inline" and len(token.content) > MAX_INLINE:
            token.children = list(_plain_lines(token.content))
            token.content = ""


def _plain_lines(text: str) -> list[Token]:
    first, *rest = text.split("\n")
    tokens = [Token("text", "", 0, content=first)]
    for line in rest:
        tokens += [Token("softbreak", "br", 0), Token("text", "", 0, content=line)]
    return tokens


def _direct(state: StateCore) -> None:
    """Rule: each block finds its direction by its own first letter."""
    for token in state.tokens:
        if token.type in _DIRECTED:
            token.attrSet("dir", "auto")
        if token.type == "th_open":
            token.attrSet("scope", "col")


def _parser() -> MarkdownIt:
    options: dict[str, Any] = {
        "html": False,
        "breaks": True,  # an open block shows its line breaks: closing it must not move the text
        "xhtmlOut": False,
        "maxNesting": MAX_NESTING,
        "tasklists": True,
    }
    md = MarkdownIt("commonmark", options, renderer_cls=Renderer).enable(["table", "strikethrough"])
    md.disable(["normalize", "block"])  # blocks are found by the callers, who hand over their tokens
    md.core.ruler.before("inline", "limit_inline", _limit_inline)
    for rule in (shape_tables, link_addresses, name_hosts, _direct):
        md.core.ruler.push(rule.__name__.strip("_"), rule)
    return md


parser = _parser()
