"""Markdown → HTML: what each kind of block becomes."""

import re
import time

import pytest

from chatapp.render import render_blocks, render_markdown
from chatapp.render.highlight import MAX_CODE, highlight, language_label

REL = 'rel="noopener nofollow"'
PATIENCE = 60  # seconds of CPU: without a bound it takes minutes
H3 = '<h3 class="h2" dir="auto">a</h3>'


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a **b** *c* ~~d~~", '<p dir="auto">a <strong>b</strong> <em>c</em> <s>d</s></p>'),
        ("one\ntwo", '<p dir="auto">one<br>\ntwo</p>'),
        ("# Title", '<h3 class="h1" dir="auto">Title</h3>'),
        ("## a\n#### b\n# c", H3 + '<h4 class="h4" dir="auto">b</h4><h3 class="h1" dir="auto">c</h3>'),
        ("use `x < y`", '<p dir="auto">use <code dir="ltr">x &lt; y</code></p>'),
        ("<b>bold</b>", '<p dir="auto">&lt;b&gt;bold&lt;/b&gt;</p>'),
        ("שלום", '<p dir="auto">שלום</p>'),
        ("- [x] a", '<ul>\n<li dir="auto"><span class="task">☑</span> a</li>\n</ul>'),
        ("3. a", '<ol start="3">\n<li dir="auto">a</li>\n</ol>'),
        ("> a", '<blockquote dir="auto">\n<p dir="auto">a</p>\n</blockquote>'),
        ("a\0b", '<p dir="auto">a\ufffdb</p>'),
        ("", ""),
    ],
)
def test_blocks(text, html):
    assert render_markdown(text).strip() == html


def test_blocks_are_told_apart():
    assert len(render_blocks("# a\n\nb\n\n- c\n- d\n\n```\ne\n\nf\n```\n")) == 4


def test_code_has_a_head_and_keeps_its_source():
    html = render_markdown("```py\nif a < b:\n\n    pass\n```")
    assert html.startswith(
        '<div class="code" data-lines="3"><div class="code-head"><span class="code-lang">Python<'
    )
    assert '<pre dir="ltr" tabindex="0"><code><span class="k">if</span> a &lt; b:\n\n    ' in html


def test_long_code_and_long_tables_are_marked():
    assert 'class="code long" data-lines="41"' in render_markdown("```\n" + "x\n" * 41 + "```")
    assert 'class="code" data-lines="40"' in render_markdown("```\n" + "x\n" * 40 + "```")
    assert 'class="table long" data-rows="51"' in render_markdown("|a|b|\n|-|-|\n" + "|c|d|\n" * 51)


def test_a_table_stands_in_a_group_named_by_its_columns():
    html = render_markdown("| **Year** | Sum |\n|---|--:|\n| 1 | 2 |")
    assert '<div class="table" data-rows="1" tabindex="0" role="group" aria-label="Year, Sum">' in html
    assert '<th dir="auto" scope="col"><strong>Year</strong></th>' in html


@pytest.mark.parametrize(
    ("cells", "align"),
    [
        (["1,475.60 €", "-3", "**12 %**", ""], "number"),
        (["$4", "≈ 1.5", "2 kg"], "number"),
        (["1", "two"], None),
        (["2026-01-02"], None),
        ([""], None),
    ],
)
def test_a_column_of_numbers_stands_right(cells, align):
    html = render_markdown("| a | b |\n|---|---|\n" + "".join(f"| x | {cell} |\n" for cell in cells))
    assert (f'<th class="{align}"' in html) == (align is not None)


def test_the_first_column_names_the_row_even_as_a_number():
    assert "class=" not in render_markdown("| n | x |\n|---|---|\n| 1 | y |").replace('class="table"', "")


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("see https://example.org/a.", "https://example.org/a"),
        ("(https://example.org/a_(b))", "https://example.org/a_(b)"),
        ("看https://example.org/a。好", "https://example.org/a"),
        ("<https://example.org/a>", "https://example.org/a"),
    ],
)
def test_bare_addresses_are_links(text, url):
    link = f'<a href="{url}" target="_blank" title="example.org" {REL}>{url}</a>'
    assert link in render_markdown(text)


def test_an_address_in_code_or_in_a_link_stays():
    assert "<a" not in render_markdown("`https://example.org`")
    assert render_markdown("[https://a.example](https://b.example)").count("<a") == 1


def test_links_say_where_they_go():
    assert render_markdown("[x](https://example.org/a)") == (
        f'<p dir="auto"><a href="https://example.org/a" target="_blank" title="example.org" {REL}>x</a></p>\n'
    )
    assert render_markdown("[x](/threads/1/)") == f'<p dir="auto"><a href="/threads/1/" {REL}>x</a></p>\n'


@pytest.mark.parametrize("src", ["http://evil.example/x.png", "//evil.example/x.png", "evil.example/x.png"])
def test_an_image_of_another_server_is_a_link(src):
    html = render_markdown(f"![a]({src})")
    assert "<img" not in html
    assert "evil.example" in html


def test_an_image_of_this_server_is_shown():
    assert '<img src="/media/a.png" alt="a" loading="lazy">' in render_markdown("![a](/media/a.png)")


def test_definitions_resolve_over_the_whole_text():
    assert '<a href="/later"' in render_markdown("[a]\n\n[a]: /later")


@pytest.mark.parametrize(
    ("language", "label"),
    [
        ("py", "Python"),
        ("JS", "JavaScript"),
        ("text", ""),
        ("", ""),
        ("klingon", "klingon"),
        ("x" * 99, "x" * 40),
    ],
)
def test_language_labels(language, label):
    assert language_label(language) == label


def test_highlighting_keeps_every_character():
    code = "\n\n  def f(): # ä <&>\n\treturn 'x'  \n\n"
    plain = highlight(code, "klingon")
    assert highlight(code, "python") != plain
    assert _text(highlight(code, "python")) == _text(plain)


def test_huge_code_is_not_highlighted():
    code = "x = 1\n" * (MAX_CODE // 6 + 1)
    assert highlight(code, "python") == code
    assert "<span" in highlight(code[: MAX_CODE - 4], "python")


@pytest.mark.parametrize(
    ("code", "language"),
    [("\n" * 90_000, "java"), ("(" * 90_000, "make"), ("x\n" * 45_000, "csharp"), ("'\\" * 45_000, "js")],
)
def test_code_that_lexers_choke_on_is_bounded(code, language):
    start = time.thread_time()
    highlight(code, language)
    assert time.thread_time() - start < PATIENCE


def _text(html):
    return re.sub(r"<[^>]*>", "", html)
