"""What the demo can do and what it is, said plainly, and how a model is connected."""

from __future__ import annotations

from agents.providers.demo.markdown import block, plain
from agents.providers.demo.plan import Plan, answer, joined
from agents.providers.demo.rules.wording import any_of, sentence
from agents.providers.demo.talk import Talk
from agents.providers.demo.texts.help import (
    CAN_DO,
    CONNECT,
    ENVIRONMENT,
    NOT_UNDERSTOOD,
    OFFERS,
    WHAT_I_AM,
)

HELP = any_of(
    r"help|help me|commands|\?",
    r"what can you do|what do you know|what(?:'s|’s| is) your name|who are you|what are you",
    r"are you (?:an? )?(?:ai|model|llm|bot|human).*",
    "帮助|帮帮我|你会(?:做)?什么|你能(?:做)?(?:什么|啥)|你是谁|怎么用|使用说明",
    "你是什么(?:模型)?|你是(?:人|模型|机器人|ai)吗",
)
HOW_TO_CONNECT = any_of(
    r"\b(?:connect|add|use|set up|configure|choose|switch to|change)\b.*"
    r"\b(?:model|llm|openai|ollama|vllm|api key)\b",
    r"\b(?:openai|chat)_(?:api_key|base_url|model)\b",
    "(?:连接|接入|配置|使用|换).*(?:模型|OpenAI|Ollama)",
)
QUOTED = 120


def help_rule(talk: Talk) -> Plan | None:
    text = sentence(talk)
    if HELP.fullmatch(text) or not text:
        return answer(joined(talk.pick(*WHAT_I_AM), offers(talk), connect(talk)))
    if HOW_TO_CONNECT.search(text):
        return answer(connect(talk))
    return None


def not_understood(talk: Talk) -> Plan:
    """When no rule knows the message: the same help, and an honest first sentence."""
    asked = " ".join(talk.text.split())
    quoted = plain(asked if len(asked) <= QUOTED else f"{asked[:QUOTED]}…")
    lead = talk.pick(*NOT_UNDERSTOOD).format(quoted)
    return answer(joined(lead, offers(talk), connect(talk)))


def offers(talk: Talk) -> str:
    """Only what the tools of this request allow."""
    lines = [
        talk.pick(english, chinese) for needs, english, chinese in OFFERS if not needs or needs in talk.tools
    ]
    return joined(talk.pick(*CAN_DO), "\n".join(f"- {line}" for line in lines))


def connect(talk: Talk) -> str:
    before, after = talk.pick(*CONNECT).split("\n---\n")
    return joined(before, block("sh", ENVIRONMENT), after)
