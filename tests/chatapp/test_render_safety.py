"""Payloads of stored XSS are inert, and no input is too much."""

import re
import time
from html.parser import HTMLParser

import pytest

from chatapp.render import BlockStream, render_markdown, render_partial
from chatapp.render.clean import clean_html

PAYLOADS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<a href='javascript:alert(1)'>x</a>",
    "<details open ontoggle=alert(1)>",
    "<style>@import 'http://evil.example'</style>",
    "<form action=http://evil.example><input name=csrf>",
    "<base href=http://evil.example>",
    "<meta http-equiv=refresh content='0;url=http://evil.example'>",
    "<!--><script>alert(1)</script>-->",
    "<x onclick=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](javascript&colon;alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](\x01javascript:alert(1))",
    "[x](vbscript:msgbox(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](file:///etc/passwd)",
    "[x](blob:http://a/b)",
    "<javascript:alert(1)>",
    "<data:text/html,x>",
    "![x](javascript:alert(1))",
    "![x](data:image/svg+xml;base64,PHN2Zy8+)",
    "![x](http://evil.example/p.png)",
    "![x](//evil.example/p.png)",
    "![x](/\\evil.example/p.png)",
    "![x](/\t/evil.example/p.png)",
    "![x](https:evil.example)",
    '![x" onerror="alert(1)](/a.png)',
    '![x](/a.png "t\\" onerror=\\"alert(1)")',
    '[x](http://a.example "t\\" onclick=\\"alert(1)")',
    '[x](http://a"onclick="alert(1))',
    'http://a.example/"onmouseover="alert(1)',
    "http://a.example/'onmouseover='alert(1)",
    "https://a.example/<script>alert(1)</script>",
    "[a]\n\n[a]: javascript:alert(1)",
    "![a][a]\n\n[a]: http://evil.example/p.png",
    '```"><script>alert(1)</script>\nx\n```',
    '```x" onclick="alert(1)\nx\n```',
    "```html\n<script>alert(1)</script>\n```",
    "    <script>alert(1)</script>",
    "`<script>alert(1)</script>`",
    '| <img src=x onerror=alert(1)> | "onclick="x |\n|---|---|\n| <script>alert(1)</script> | b |',
    '| a" onfocus="alert(1) |\n|---|\n| b |',
    "# <script>alert(1)</script>",
    "- <script>alert(1)</script>",
    "> <script>alert(1)</script>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "\\<script>alert(1)\\</script>",
    "<scr\0ipt>alert(1)</script>",
    "{{constructor.constructor('alert(1)')()}}",
    "[x](/a){onclick=alert(1)}",
]
TAGS = {
    "p",
    "br",
    "hr",
    "h3",
    "h4",
    "h5",
    "h6",
    "strong",
    "em",
    "s",
    "a",
    "img",
    "code",
    "pre",
    "div",
    "span",
}
TAGS |= {"blockquote", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td"}
ATTRIBUTES = {"dir", "href", "title", "target", "rel", "src", "alt", "loading", "start", "tabindex", "scope"}
ATTRIBUTES |= {"class", "role", "aria-label", "data-lines", "data-rows"}


class Inspector(HTMLParser):
    """Fails on whatever the page must never hold."""

    def handle_starttag(self, tag, attrs):
        assert tag in TAGS
        for name, value in attrs:
            assert name in ATTRIBUTES
            assert name != "src" or re.match(r"/(?![/\\])", value)
            assert name != "href" or re.match(r"(https?:|mailto:|tel:|/|#|\w)", value)
            assert name != "href" or not re.match(r"\s*(javascript|vbscript|data|file|blob):", value, re.I)

    def handle_comment(self, data):
        raise AssertionError(data)


def inspect(html):
    Inspector().feed(html)


@pytest.mark.parametrize("payload", PAYLOADS)
def test_payloads_are_inert(payload):
    inspect(render_markdown(payload))
    inspect(render_markdown(f"text {payload} text\n\n- {payload}\n\n> {payload}"))


@pytest.mark.parametrize("payload", PAYLOADS)
def test_payloads_are_inert_while_they_are_written(payload):
    stream = BlockStream()
    for char in f"- a\n- {payload}\n\n{payload}\n\n":
        for _, html in stream.feed(char).closed:
            inspect(html)
    for _, html in stream.close().closed:
        inspect(html)


def test_raw_html_is_shown_as_text():
    assert render_markdown("<b>x</b>") == '<p dir="auto">&lt;b&gt;x&lt;/b&gt;</p>\n'


def test_the_last_gate_holds_without_the_renderer():
    assert clean_html('<a href="javascript:x" onclick="x">a</a>') == '<a rel="noopener nofollow">a</a>'
    assert clean_html('<p style="x" id="y" class="evil plain">a</p>') == '<p class="plain">a</p>'
    assert clean_html("<script>x</script><iframe></iframe><form><input></form>") == ""


PATIENCE = 60  # seconds of CPU: without a bound it takes minutes
HUGE = {
    "one line": "x y " * 250_000,
    "stars": "*" * 1_000_000,
    "emphasis": "*a **b " * 150_000,
    "brackets": "[" * 1_000_000,
    "links": "[a](" * 250_000,
    "images": "![" * 500_000,
    "ticks": " ".join("`" * n for n in range(1, 1_400)),
    "ampersands": "&" * 1_000_000,
    "quotes": ">" * 100_000,
    "nested quotes": "> " * 20_000 + "x\n",
    "nested list": "".join(" " * 2 * n + "- x\n" for n in range(1_000)),
    "unclosed fence": "```py\n" + "x = 1\n" * 170_000,
    "rules": "---\n" * 50_000,
    "blank lines": "\n" * 1_000_000,
    "wide table": "|a" * 2_000 + "|\n" + "|-" * 2_000 + "|\n" + "|b\n" * 200,
    "brackets in cells": "|a|b|\n|-|-|\n" + "|[[[[[[[[[[|![![![|\n" * 1_000,
    "definitions": "[a]: /x\n" * 10_000,
    "half definitions": "[a\n" * 20_000,
    "two kinds of list": "* a\n+ b\n" * 2_000,
    "long paragraphs": ("[" * 19_000 + "\n\n") * 3,
}


@pytest.mark.parametrize("name", HUGE)
def test_huge_input_is_bounded(name):
    start = time.thread_time()
    render_markdown(HUGE[name])
    stream = BlockStream()
    step = max(1, len(HUGE[name]) // 500)
    for at in range(0, len(HUGE[name]), step):
        stream.feed(HUGE[name][at : at + step])
    stream.close()
    assert time.thread_time() - start < PATIENCE


def test_what_is_nested_too_deeply_is_shown_as_it_was_written():
    html = render_markdown("> " * 100 + "deep\n\nafter")
    assert html.startswith('<p class="plain" dir="auto">&gt; &gt; ')
    assert "deep" in html
    assert "after" in html


def test_a_long_line_that_is_being_written_stays_text():
    closed, open_block = render_partial("x" * 1_000_000)
    assert (closed, open_block.kind, len(open_block.text)) == ([], "p", 1_000_000)
