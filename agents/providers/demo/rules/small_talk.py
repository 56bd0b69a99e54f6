"""Greetings and thanks."""

from __future__ import annotations

from agents.providers.demo.plan import Plan, answer
from agents.providers.demo.rules.wording import any_of, sentence
from agents.providers.demo.talk import Talk

HELLO = any_of(
    r"(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|greetings|moin)(?:\s+(?:there|demo))?",
    "(?:你好|您好|嗨|哈喽|早上好|下午好|晚上好|在吗)[啊呀]?",
)
THANKS = any_of(
    r"(?:ok(?:ay)?,?\s+)?(?:thanks?(?: you)?(?: very much| a lot| so much)?|thx|cheers|great|perfect)",
    "谢谢[你您]?|多谢|感谢|太好了|好的?|辛苦了",
)


def hello_rule(talk: Talk) -> Plan | None:
    text = sentence(talk).strip(",， ")
    if HELLO.fullmatch(text):
        return answer(
            talk.pick(
                "Hello. I am the demo assistant: I answer by rules, without a model, and I use real tools. "
                "Try *What time is it in Tokyo, Lima and Berlin?*, or say *help* for all that I know.",
                "你好。我是演示助手：按规则回答，没有接入模型，但使用真实的工具。"
                "可以试试“东京、利马和柏林现在几点？”，或者说“帮助”看看我会什么。",
            )
        )
    if THANKS.fullmatch(text):
        return answer(talk.pick("You are welcome.", "不客气。"))
    return None
