"""Everything that an answer can contain, on one page."""

from __future__ import annotations

from agents.providers.demo.plan import Plan, answer
from agents.providers.demo.rules.wording import any_of, sentence
from agents.providers.demo.talk import Talk
from agents.providers.demo.texts import read_text

ASKS = any_of(
    r"\b(?:show|give|write|demo|test|example|sample|showcase)\b.*\b(?:markdown|formatting|table|code|list)s?\b",
    r"^markdown\b",
    "(?:展示|显示|演示|示例|来|给|写|测试).*(?:markdown|表格|代码|列表|格式|排版)",
)


def showcase_rule(talk: Talk) -> Plan | None:
    text = sentence(talk)
    if len(text) > 120 or not ASKS.search(text):
        return None
    return answer(read_text("showcase", is_chinese=talk.is_chinese))
