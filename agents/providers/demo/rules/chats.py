"""Search in the user's other chats."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date

from agents.providers.demo.markdown import plain, unmarked
from agents.providers.demo.plan import Call, Plan, Step, joined
from agents.providers.demo.rules.dates import day_in_words
from agents.providers.demo.rules.failures import failure
from agents.providers.demo.rules.wording import any_of, query_in, sentence
from agents.providers.demo.talk import Talk

CHATS = r"(?:(?:my|our|the|all|other|old|earlier)\s+)*(?:chats?|threads?|conversations?|(?:chat\s+)?history)"
CHATS_ZH = r"(?:我的|我们的|所有|其他|以前的?|历史)*(?:对话|聊天记录|聊天|会话|历史记录)"
SEARCH_ZH = r"(?:查找|搜索|寻找|找|搜|查)(?:一下|找)?"
QUERY = r"\s*(?P<query>.+)$"
ASKS = [
    any_of(pattern)
    for pattern in (
        rf"^(?:please )?(?:search|look|go|check)\s+(?:in\s+|through\s+)?{CHATS}\s+(?:for|about)\s*:?{QUERY}",
        rf"^(?:please )?(?:search for|search|find|look for)\s+(?P<query>.+?)\s+in\s+{CHATS}$",
        r"^(?:where|when|in which chats?) (?:did|have) (?:we|i) (?:last )?"
        r"(?:talk(?:ed)?|speak|spoken|discuss(?:ed)?|chat(?:ted)?|ask(?:ed)?|write|written)(?: about| of)?"
        rf"\b{QUERY}",
        r"^which (?:chats?|threads?|conversations?)\s+"
        rf"(?:is|are|was|were|mention(?:s|ed)?|talks?|contains?)(?:\s+about)?\b{QUERY}",
        rf"^(?:请|帮我)?在?{CHATS_ZH}(?:里|中)?面?{SEARCH_ZH}{QUERY}",
        rf"^(?:请|帮我)?{SEARCH_ZH}{CHATS_ZH}(?:里|中)?(?:的|有没有|：|:)?{QUERY}",
        rf"^我们?(?:什么时候|在哪里?|哪个对话里?)(?:聊|谈|说|讨论|问)(?:过|到过?)?{QUERY}",
    )
]
HEAD = re.compile(r"^(\d{4}-\d\d-\d\d) · (.+) · (/\S+)$")
SAID = re.compile(r"^  (User|Assistant): (.+)$")


@dataclass(slots=True)
class Found:
    day: date
    title: str
    address: str
    said: list[tuple[str, str]] = field(default_factory=list)


def chats_rule(talk: Talk) -> Plan | None:
    if "search_threads" not in talk.tools:
        return None
    for pattern in ASKS:
        if found := pattern.match(sentence(talk)):
            return tell_chats(talk, query_in(found["query"]))
    return None


def tell_chats(talk: Talk, query: str) -> Plan:
    thinking = talk.pick(
        "This is about what was said elsewhere. I look through the other chats.", "这要到别的对话里去找。"
    )
    outcomes = yield Step(thinking=thinking, calls=(Call("search_threads", {"query": query}),))
    if problem := failure(talk, outcomes):
        return Step(problem)
    chats = read_chats(outcomes[0].output)
    if not chats:
        return Step(
            talk.pick(
                f"Nothing in your other chats about “{plain(query)}”.",
                f"你的其他对话里没有“{plain(query)}”。",
            )
        )
    count = f"**{len(chats)}** {'chat' if len(chats) == 1 else 'chats'}"
    lead = talk.pick(
        f"“{plain(query)}” comes up in {count}:", f"“{plain(query)}”出现在 **{len(chats)}** 个对话里："
    )
    return Step(
        joined(lead, "\n".join(item(talk, number, chat) for number, chat in enumerate(chats, start=1)))
    )


def item(talk: Talk, number: int, chat: Found) -> str:
    lines = [f"{number}. [{plain(chat.title)}]({chat.address}) · {day_in_words(talk, chat.day)}"]
    for place, (speaker, text) in enumerate(chat.said):
        name = talk.pick("You: ", "你：") if speaker == "User" else talk.pick("Assistant: ", "助手：")
        lines += ["   >" if place else "", f"   > {name}{plain(unmarked(text))}"]
    return "\n".join([*lines, ""] if chat.said else lines)


def read_chats(output: str) -> list[Found]:
    chats: list[Found] = []
    for line in output.splitlines():
        if head := HEAD.match(line):
            chats.append(Found(date.fromisoformat(head[1]), head[2], head[3]))
        elif chats and (said := SAID.match(line)):
            chats[-1].said.append((said[1], said[2]))
    return chats
