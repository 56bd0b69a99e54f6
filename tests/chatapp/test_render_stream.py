"""Block by block: what is closed is final, what is open has its shape, and all of it is cheap."""

import re
from html import unescape

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chatapp.render import BlockStream, OpenBlock, render_blocks, render_partial
from chatapp.render.blocks import find_blocks
from chatapp.render.stream import SPEND

PROSE = "Each **lease** has an `end`, and whoever holds it renews it well before, so that nobody waits.\n\n"
LIST = "".join(f"- item **{n}** with `code` in it\n" for n in range(20)) + "\n"
TABLE = "| Year | Sum |\n|---|--:|\n" + "".join(f"| {n} | 1,475.60 € |\n" for n in range(12)) + "\n"
CODE = "```python\n" + "def f(x: int) -> int:\n    return sum(range(x))\n" * 12 + "```\n\n"
ANSWER = ("## Heading\n\n" + PROSE * 3 + LIST + PROSE + CODE + TABLE) * 40

# Everything that opens, closes or turns a block, in any order.
PIECES = [
    "word ",
    "\n",
    "\n\n",
    "- ",
    "  - ",
    "* ",
    "1. ",
    "2) ",
    "    ",
    "\t",
    "> ",
    "```",
    "```py\n",
    "~~~",
    "# ",
    "---",
]
PIECES += [
    "===",
    "|",
    "| a | b |\n",
    "|---|---|\n",
    "**",
    "_",
    "`",
    "[x](/y)",
    "<b>",
    "\\",
    "- [ ] ",
    "中文",
    "\r\n",
    "\r",
]
DOCUMENTS = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


class Reader:
    """What a browser has of a text: blocks by number, and the open one."""

    def __init__(self, stream):
        self.stream = stream
        self.blocks = {}
        self.open = OpenBlock("p", "")
        self.received = 0

    def feed(self, text):
        update = self.stream.feed(text)
        self._apply(update)
        if update.open is None:
            self.open = OpenBlock(self.open.kind, self.open.text + text, self.open.lang)
            self.received += len(text)
        return update

    def close(self):
        self._apply(self.stream.close())
        return [self.blocks[n] for n in sorted(self.blocks)]

    def text(self):
        html = "".join(self.blocks[n] for n in sorted(self.blocks))
        return unescape(re.sub(r"<[^>]*>", "", html)) + self.open.text

    def _apply(self, update):
        self.blocks.update(update.closed)
        self.received += sum(len(html) for _, html in update.closed)
        if update.open is not None:
            self.open = update.open
            self.received += len(update.open.text)


def read(text, size):
    reader = Reader(BlockStream())
    for at in range(0, len(text), size):
        reader.feed(text[at : at + size])
    return reader


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(DOCUMENTS, st.integers(1, 12))
def test_the_closed_blocks_are_the_whole(text, size):
    assert read(text, size).close() == render_blocks(text)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from(["ab ", "cd\n", "\n", "- ", "  - ", "1. ", "> ", "# ", "**"]), max_size=30),
    st.integers(1, 7),
)
def test_no_word_is_ever_missing_or_doubled(pieces, size):
    text, reader = "".join(pieces), Reader(BlockStream())
    for at in range(0, len(text), size):
        reader.feed(text[at : at + size])
        assert re.findall("[a-z]", reader.text()) == re.findall("[a-z]", text[: at + size])


@pytest.mark.parametrize("text", [PROSE, LIST, TABLE, CODE, ANSWER[:6_000]])
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_an_answer_of_each_kind(text, size):
    assert read(text, size).close() == render_blocks(text)


@pytest.mark.parametrize(
    ("text", "is_final"),
    [
        ("a\n\n", True),
        ("a\n", False),
        ("# a\n", True),
        ("# a | b\n", False),  # may become the head of a table
        ("# a | b\n\n", True),
        ("---\n", True),
        ("```\na\n\nb\n", False),
        ("```\na\n```\n", True),
        ("````\na\n```\n", False),
        ("- a\n\n", False),  # another item may come
        ("- a\n\nb\n", True),
        ("| a |\n|---|\n| b |\n", False),
        ("| a |\n|---|\n| b |\n\n", True),
        ("> a\n\n", True),
        ("    a\n\n", False),
    ],
)
def test_when_a_block_is_final(text, is_final):
    stream = BlockStream()
    closed = dict(stream.feed(text).closed)
    assert (closed.get(0) == render_blocks(text)[0] and 0 not in dict(stream.close().closed)) == is_final


def test_a_block_goes_out_once():
    stream = BlockStream()
    numbers = [n for at in range(0, 600, 5) for n, _ in stream.feed((PROSE * 7)[at : at + 5]).closed]
    assert numbers == list(range(len(numbers)))


def test_a_growing_list_replaces_itself():
    reader = Reader(BlockStream())
    reader.feed("- a\n- b\n")
    assert reader.blocks == {0: render_blocks("- a\n- b\n")[0]}
    reader.feed("- c\n\nend\n\n")
    assert reader.blocks == dict(enumerate(render_blocks("- a\n- b\n- c\n\nend\n\n")))


def test_definitions_above_resolve_while_the_text_is_written():
    assert '<a href="/b"' in read("[a]: /b\n\nsee [a] there\n\n", 3).close()[0]


def test_a_half_line_end_waits_for_its_other_half():
    assert read("a\r\nb\r\n\r\nc", 2).close() == render_blocks("a\nb\n\nc")


@pytest.mark.parametrize(
    ("text", "block"),
    [
        ("", OpenBlock("p", "")),
        ("Hello **wo", OpenBlock("p", "Hello **wo")),
        ("## Ti", OpenBlock("h2", "Ti")),
        ("##", OpenBlock("p", "")),
        ("```", OpenBlock("pre", "")),
        ("```py", OpenBlock("pre", "")),
        ("```py\nx = 1\ny", OpenBlock("pre", "x = 1\ny", lang="Python")),
        ("    x", OpenBlock("pre", "x")),
        ("-", OpenBlock("p", "")),
        ("- a", OpenBlock("li", "a", marker="•")),
        ("12. a", OpenBlock("li", "a", marker="12.")),
        ("- [x] a", OpenBlock("li", "a", marker="☑")),
        ("- a\n  - b", OpenBlock("li", "b", marker="•", depth=1)),
        ("- a\n\nb", OpenBlock("p", "b")),
        ("> a", OpenBlock("quote", "a")),
        ("| a | b", OpenBlock("table", "| a | b")),
        ("1. a\n\n   ```\n   x\n   y", OpenBlock("code", "y")),
        ("done\n\n", OpenBlock("p", "")),
    ],
)
def test_the_open_block_has_the_shape_of_its_kind(text, block):
    assert render_partial(text)[1] == block
    assert read(text, 1).open.text == block.text


def test_the_shape_goes_out_only_when_it_changes():
    stream = BlockStream()
    opens = [stream.feed(delta).open for delta in ("Hel", "lo ", "you", "\n", "there")]
    assert opens == [OpenBlock("p", "Hel"), None, None, None, None]


def test_what_goes_over_the_wire_leaves_out_what_is_empty():
    assert OpenBlock("p", "").as_dict() == {"kind": "p", "text": ""}
    assert OpenBlock("li", "a", marker="•", depth=1).as_dict() == {
        "kind": "li",
        "text": "a",
        "marker": "•",
        "depth": 1,
    }


def test_a_partial_text_is_its_blocks_and_the_open_one():
    assert render_partial("a\n\n- b\n- c") == (render_blocks("a\n\n- b\n"), OpenBlock("li", "c", marker="•"))


@pytest.mark.parametrize(
    "text",
    [
        ANSWER,
        LIST.strip() * 120,
        TABLE[:29] + "| 1 | 1,475.60 € |\n" * 4_000,
        "> quote\n" * 10_000,
        "1. a\n\n   ```py\n" + "   x = 1\n" * 8_000,
    ],
    ids=["mixed", "list", "table", "quote", "code in a list"],
)
def test_80_kb_in_5000_deltas_are_parsed_and_sent_a_few_times_over(text, monkeypatch):
    text, parsed = text[:80_000], []

    def find(source, env):
        parsed.append(len(source))
        return find_blocks(source, env)

    monkeypatch.setattr("chatapp.render.stream.find_blocks", find)
    reader = read(text, len(text) // 5_000)
    reader.close()
    assert sum(parsed) < (SPEND + 2) * len(text)
    assert reader.received < 60 * len(text)


def test_work_is_linear_in_an_unfinished_list():
    line = "- item with some text in it\n"
    assert read(line * 1_000, 50).received < 3 * read(line * 500, 50).received
