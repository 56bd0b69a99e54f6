"""Questions about this very conversation, answered from the transcript."""

from __future__ import annotations

import re

from agents.providers.demo.markdown import plain, quote, unmarked
from agents.providers.demo.plan import Plan, answer, joined
from agents.providers.demo.rules.wording import any_of, sentence
from agents.providers.demo.talk import Exchange, Talk

SHOWN = 20
ASKED = any_of(
    r"\bwhat (?:did|have) i (?:just )?(?:ask|asked|say|said|write|written|want)\b",
    r"\bmy (?:last|previous|first|earlier) (?:question|message)s?\b",
    "我(?:之前|刚才|刚刚|前面|上一?次|第一次|最先|先前)?都?(?:问|说|写)了?过?你?(?:什么|哪些|啥)",
    "我的?(?:上一|前一|第一|最初)个?(?:问题|消息)",
)
SUMMARY = any_of(
    r"\b(?:summari[sz]e|recap|sum up)\b.*\b(?:chat|conversation|talk|thread|this|so far)\b",
    r"\bwhat (?:did|have) we (?:talk|talked|spoken|discuss|discussed|done)\b",
    r"\bhow many (?:messages|questions)\b",
    "总结(?:一下)?(?:我们的?|这次|这个|当前|本次)*(?:对话|聊天|会话)",
    "我们都?(?:聊|谈|说)了?(?:些|过)?(?:什么|哪些)",
    "多少(?:条消息|个问题)",
)
REPEAT = any_of(
    r"^(?:please )?(?:repeat|say)\s+(?:that|it|your (?:last |previous )?answer)(?: again)?$",
    r"\byour (?:last|previous) answer\b",
    "^请?(?:再说一遍|重复(?:一遍|一次|上一?个?回答|你的回答)?)$",
    "你的?(?:上一|前一|刚才)个?的?(?:回答|答案)",
)
FIRST = re.compile(r"\bfirst\b|\bat the (?:start|beginning)\b|第一|最先|最初|一开始", re.IGNORECASE)
EVERY = re.compile(r"\bhave i asked\b|\bmessages\b|\bquestions\b|哪些|都问", re.IGNORECASE)


def memory_rule(talk: Talk) -> Plan | None:
    text = sentence(talk)
    if len(text) > 200:
        return None
    if REPEAT.search(text):
        return answer(talk.last_answer or nothing(talk))
    if SUMMARY.search(text) or (ASKED.search(text) and EVERY.search(text)):
        return answer(summary(talk) if talk.earlier else nothing(talk))
    if ASKED.search(text):
        return answer(
            one_question(talk, is_first=bool(FIRST.search(text))) if talk.earlier else nothing(talk)
        )
    return None


def nothing(talk: Talk) -> str:
    return talk.pick(
        "Nothing yet: this is the first message of this chat.", "还没有：这是本次对话的第一条消息。"
    )


def one_question(talk: Talk, *, is_first: bool) -> str:
    exchange = talk.earlier[0 if is_first else -1]
    lead = (
        talk.pick("Your first message was:", "你的第一条消息是：")
        if is_first
        else talk.pick("Before this you wrote:", "在这之前你写的是：")
    )
    return joined(lead, quote(exchange.question), ending(talk, exchange))


def ending(talk: Talk, exchange: Exchange) -> str:
    if exchange.is_partial:
        return talk.pick(
            "My answer to it was cut off; what was written of it is kept above.",
            "我的回答没有写完；已经写出的部分保留在上面。",
        )
    if not exchange.answer:
        return talk.pick(
            "It has no answer: that turn was ended before one began.",
            "它没有回答：那一轮在回答开始之前就结束了。",
        )
    return ""


def summary(talk: Talk) -> str:
    count = len(talk.earlier)
    messages = "message" if count == 1 else "messages"
    lead = talk.pick(
        f"So far you have sent **{count}** {messages}:", f"到目前为止你发了 **{count}** 条消息："
    )
    shown = list(enumerate(talk.earlier, start=1))[-SHOWN:]
    lines = [f"{number}. {line(talk, exchange)}" for number, exchange in shown]
    return joined(lead, "\n".join(lines))


def line(talk: Talk, exchange: Exchange) -> str:
    question = plain(shortened(exchange.question))
    if exchange.is_partial:
        return f"{question} · *{talk.pick('answer cut off', '回答未完')}*"
    first = next(iter(exchange.answer.strip().splitlines()), "")
    if not first or first.startswith(("|", "#", "```", ">", "-")):
        return question
    return f"{question} · {plain(shortened(unmarked(first))).rstrip(':：')}"


def shortened(text: str, limit: int = 90) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[:limit].rstrip()}…"
