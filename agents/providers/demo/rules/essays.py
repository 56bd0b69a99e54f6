"""Longer texts: a story, and explanations of the ideas that the product stands on. Good for trying Stop."""

from __future__ import annotations

import re
from dataclasses import dataclass

from agents.providers.demo.markdown import bullets
from agents.providers.demo.plan import Plan, answer, joined
from agents.providers.demo.rules.wording import any_of, sentence
from agents.providers.demo.talk import Talk
from agents.providers.demo.texts import read_text


@dataclass(frozen=True, slots=True)
class Topic:
    name: str
    words: re.Pattern[str]
    title: str
    title_zh: str


TOPICS = (
    Topic(
        "story",
        any_of(r"\bstor(?:y|ies)\b", r"\btale\b", r"\blighthouse\b", "故事", "灯塔"),
        title="a long story",
        title_zh="一个长故事",
    ),
    Topic(
        "leases",
        any_of(
            r"\bleases?\b", r"\bfenc\w+", r"\btokens?\b", r"\block(?:s|ing)?\b", "租约", "令牌", "栅栏", "锁"
        ),
        title="leases and fencing tokens",
        title_zh="租约与隔离令牌",
    ),
    Topic(
        "once",
        any_of(
            r"\btwice\b", r"\bduplicat\w+", r"\bidempoten\w+", r"\bexactly[ -]once\b", "重复", "幂等", "两次"
        ),
        title="why nothing happens twice (duplicates)",
        title_zh="为什么什么都不会发生两次（重复）",
    ),
    Topic(
        "stop",
        any_of(
            r"\bstop\w*", r"\binterrupt\w*", r"\bcrash\w*", r"\brecover\w*", "停止", "中断", "崩溃", "恢复"
        ),
        title="what happens when you press Stop",
        title_zh="按下“停止”之后",
    ),
    Topic(
        "logs",
        any_of(r"\bappend[ -]only\b", r"\blogs?\b", r"\bevent sourcing\b", "日志", "只追加"),
        title="append-only logs",
        title_zh="只追加的日志",
    ),
    Topic(
        "history",
        any_of(
            r"\bhistor\w+|\bcheckpoints?\b|\bsegments?\b|\b(?:this|the) chat\b|\bconversations?\b",
            r"\bkeeps?\b|\bstored?\b|\bstreaming\b",
            "历史|检查点|片段|保存|这个聊天|流式",
        ),
        title="how this chat keeps its history",
        title_zh="这个聊天怎样保存历史",
    ),
)
ASKS = any_of(
    r"\b(?:explain|tell|describe|write|read|teach|talk|essay|story|lecture|text|article|more|about)\b",
    r"^(?:please )?(?:what|how|why|when)\b",
    "解释|讲|说说|介绍|什么是|是什么|怎么|怎样|如何|为什么|写|文章|故事",
)
WANTS_TEXT = any_of(
    r"\b(?:explain|essay|article|something|anything|lecture)\b",
    r"\blong (?:text|answer|one)\b|\b\d+ words\b",
    "解释|文章|长(?:文|一点|回答)",
)
GO_ON = any_of(
    r"(?:please )?(?:go on|continue|carry on|keep going|proceed|more|next)(?: please)?",
    r"请?(?:继续|接着)(?:说|写|讲|往下)?(?:吧|下去)?",
)
SHORTEST_PART = 40
SENTENCE_END = re.compile(r"[.!?:]\s|[。！？：]|\n")


def essay_rule(talk: Talk) -> Plan | None:
    text = sentence(talk)
    if len(text) > 200 or not ASKS.search(text):
        return None
    for found in TOPICS:
        if found.words.search(text):
            return answer(read_text(found.name, is_chinese=talk.is_chinese), thinking=thought(talk, found))
    return answer(choice(talk)) if WANTS_TEXT.search(text) else None


def thought(talk: Talk, found: Topic) -> str:
    if found.name == "story":
        return talk.pick("A story, then. One with a light in it.", "那就讲个故事，里面有一盏灯。")
    return talk.pick(
        f"This wants a longer text: {found.title}. First what the trouble is, then what is done about it.",
        f"这需要一段长一些的文字：{found.title_zh}。先说问题出在哪里，再说怎么办。",
    )


def choice(talk: Talk) -> str:
    lead = talk.pick(
        "I have no model, so there are only a few things that I can explain. They are the ideas that this "
        "chat stands on:",
        "我没有接入模型，能讲的只有几样，都是这个聊天所依据的想法：",
    )
    return joined(lead, bullets(talk.pick(found.title, found.title_zh) for found in TOPICS))


def go_on_rule(talk: Talk) -> Plan | None:
    """After a stop in the middle of a text: the rest of it, from the sentence in which it was cut."""
    if not GO_ON.fullmatch(sentence(talk)):
        return None
    rest = rest_of(talk)
    return answer(
        rest
        or talk.pick(
            "There is nothing to go on with: no text of mine was cut off.",
            "没有可以继续的：我没有被打断的文字。",
        )
    )


def rest_of(talk: Talk) -> str:
    """Of the newest of these texts, if it was cut off. It may itself have gone on with an earlier part."""
    texts = [read_text(found.name, is_chinese=zh) for found in TOPICS for zh in (False, True)]
    for exchange in reversed(talk.earlier):
        said = exchange.answer.strip()
        whole = next((text for text in texts if said and is_part_of(said, text)), "")
        if whole:
            cut = whole.index(said) + len(said)
            return whole[start_of_sentence(whole, cut) :] if exchange.is_partial else ""
    return ""


def is_part_of(said: str, text: str) -> bool:
    return text.startswith(said) or (len(said) > SHORTEST_PART and said in text)


def start_of_sentence(text: str, cut: int) -> int:
    return max((match.end() for match in SENTENCE_END.finditer(text, 0, cut)), default=0)
