"""A question about the user's own affairs that nothing else answers: perhaps a note does."""

from __future__ import annotations

import re

from agents.providers.demo.markdown import plain
from agents.providers.demo.plan import Call, Plan, Step
from agents.providers.demo.rules.failures import failure
from agents.providers.demo.rules.notes import read_notes, told
from agents.providers.demo.rules.wording import any_of, sentence
from agents.providers.demo.talk import Talk

MAX_WORDS = 3
QUESTION = any_of(
    r"^(?:and\s+)?(?:how (?:much|many|long|often)|when|where|who|what|which|do|did|does|is|are|was|were)\b"
)
OWN = re.compile(r"\b(?:we|our|us|i|my|me)\b", re.IGNORECASE)
QUESTION_ZH = re.compile(r"我|咱")
ASKS_ZH = re.compile(r"多少|几|什么|哪|谁|吗|怎么|何时")
IDLE = frozenset(
    re.findall(
        r"\w+",
        """a an and are as at be been but by can could did do does for from had has have how i if in is it
        its last long many me month much my next no not of often on or our out over please say she so tell
        than that the their them then there this to today tomorrow us use used want was we week were what
        when where which who whose why will with would year yesterday you your change cost need""",
    )
)
IDLE_ZH = any_of(
    "请问|我们|咱们|我的|我|去年|今年|明年|昨天|今天|明天|上个?月|下个?月|这个?月",
    "多少|什么时候|什么|几个|几点|几|哪里|哪个|哪|谁|怎么|何时|一共|总共",
    "用了|花了|买了|了|吗|呢|的|是|在|有|过|要|会|用",
)


def own_affairs_rule(talk: Talk) -> Plan | None:
    if "search_notes" not in talk.tools or len(talk.text) > 200:
        return None
    words = words_of(talk)
    return look_up(talk, " ".join(words[:MAX_WORDS])) if words else None


def words_of(talk: Talk) -> list[str]:
    text = sentence(talk)
    if talk.is_chinese:
        is_asked = QUESTION_ZH.search(text) and ASKS_ZH.search(text)
        return [word for word in re.split(r"[\s，、]+", IDLE_ZH.sub(" ", text)) if word] if is_asked else []
    if not QUESTION.match(text) or not OWN.search(text):
        return []
    return [word for word in re.findall(r"[\w'-]+", text.lower()) if word not in IDLE and len(word) > 2]


def look_up(talk: Talk, query: str) -> Plan:
    outcomes = yield Step(calls=(Call("search_notes", {"query": query}),))
    if problem := failure(talk, outcomes):
        return Step(problem)
    if notes := read_notes(outcomes[0].output):
        return Step(told(talk, query, notes))
    return Step(
        talk.pick(
            f"I have looked into your notes for “{plain(query)}” and found nothing. I am a demo that answers "
            "by rules, so that is all I can do with this question; say *help* to see what I know.",
            f"我在你的笔记里找了“{plain(query)}”，没有找到。我是按规则回答的演示助手，这个问题只能做到这里；"
            "说“帮助”可以看看我会什么。",
        )
    )
