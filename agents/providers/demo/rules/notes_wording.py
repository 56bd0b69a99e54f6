"""How people speak of notes: the sentences that keep, list, find and delete them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from agents.providers.demo.rules.wording import any_of, query_in

PLEASE = "(?:please )?"
ZH = "(?:请|帮我|请帮我)?"
TO_MY_NOTES = r"\s+(?:in|into|to|as|down in)\s+(?:my\s+|a\s+|the\s+)?notes?"
LOOK_ZH = "(?:查找|搜索|寻找|找|搜|查)(?:一下|找)?"

KEEP = [
    any_of(pattern)
    for pattern in (
        rf"^{PLEASE}(?:keep|make|take|add|save|write|create|store)\s+(?:me\s+)?(?:an?|this|the|another)?\s*(?:new\s+)?"
        r"note\b\s*(?:that|of|saying|to myself|about)?\s*[:,]?\s+(?P<text>.+)$",
        rf"^{PLEASE}note(?: down)?(?:\s+that\b|\s*[:,])\s*(?P<text>.+)$",
        rf"^{PLEASE}remember(?: that\b|\s*:)?\s+(?P<text>[^?]+)$",
        rf"^{PLEASE}(?:put|write|add)\s+(?P<text>.+?){TO_MY_NOTES}\.?$",
        rf"^{ZH}(?:记|加|添加|写|存|新建)(?:一?下)?(?:一[个条则]?|[个条])?(?:笔记|便签|备忘录?)"
        r"\s*[：:，,]?\s*(?P<text>.+)$",
        rf"^{ZH}(?:记住|记一下|记下来?|备忘|笔记)\s*[：:，,]?\s*(?P<text>.+)$",
    )
]
KEEP_RESULT = any_of(
    rf"^{PLEASE}(?:and )?(?:put|keep|save|write|add|note|store)\s+(?:down\s+)?"
    rf"(?:that|it|this|the (?:result|answer|sum|total))(?:{TO_MY_NOTES})?$",
    f"^{ZH}把?(?:结果|这个|它|答案)也?[记存放写][到进入在]?(?:我的)?(?:笔记)?(?:里|中|下来)?$",
)
LIST = any_of(
    rf"^{PLEASE}(?:show|list|read|give|open)\s+(?:me\s+)?(?:all\s+)?(?:of\s+)?(?:my\s+|the\s+)?notes$",
    "^(?:what (?:are|is in) )?(?:all )?my notes$",
    "^what (?:did|have) i (?:note|noted)(?: down)?$|^which notes do i have$|^do i have (?:any )?notes$",
    f"^{ZH}(?:列出|显示|看看|查看|打开|读)?(?:一下)?(?:我的)?(?:所有|全部)?的?笔记(?:列表)?$",
    "^我都?(?:记了|有)(?:什么|哪些)(?:笔记)?$",
)
FIND = [
    any_of(pattern)
    for pattern in (
        rf"^{PLEASE}(?:find|search|look up|look for|look in|check)\s+(?:in\s+)?(?:my\s+|the\s+)?notes?\s*"
        r"(?:for|about|on|with|that mentions?)?\s*[:,]?\s+(?P<query>.+)$",
        rf"^{PLEASE}(?:find|search for|look for|show(?: me)?)\s+(?P<query>.+?)\s+in\s+my\s+notes$",
        r"^what (?:do|does|did) my notes? say (?:about|on)\s+(?P<query>.+)$",
        r"^(?:show me |find |which )?(?:my\s+|the\s+)?notes?\s+(?:about|on|with|mentions?)\s+(?P<query>.+)$",
        rf"^{ZH}在?(?:我的)?笔记[里中]?面?{LOOK_ZH}\s*(?P<query>.+)$",
        rf"^{ZH}{LOOK_ZH}(?:我的)?笔记[里中]?的?\s*[：:，,]?\s*(?P<query>.+)$",
        rf"^{ZH}(?:{LOOK_ZH}|看看)(?:关于|有关|包含)\s*(?P<query>.+?)\s*的笔记$",
    )
]
DELETE = any_of(
    rf"^{PLEASE}(?:delete|remove|erase|drop|throw away)\s+(?P<all>all\s+(?:of\s+)?)?(?:the\s+|my\s+)?notes?\b"
    r"\s*(?P<rest>.*)$",
    f"^{ZH}把?(?:删除|删掉|去掉|移除|(?P<clear>清空))(?P<rest_zh>.*笔记.*)$",
)
ALL_ZH = re.compile("所有|全部")
BEFORE_QUERY = any_of(r"^(?:about|on|with|that says|saying|mentioning|for|called)\s+")
AROUND_QUERY_ZH = any_of("关于|有关|包含|所有|全部|我的|那条|这条|一条|的?笔记|的$")


def find_first(patterns: Iterable[re.Pattern[str]], text: str) -> re.Match[str] | None:
    return next((match for pattern in patterns if (match := pattern.match(text))), None)


def note_meant(rest: str) -> str:
    """The words that say which note is meant, without those around them."""
    return query_in(AROUND_QUERY_ZH.sub("", BEFORE_QUERY.sub("", rest)))
