"""Failures on request, so that the page can show what it does about them."""

from __future__ import annotations

from agents.providers.demo.plan import Plan, Step
from agents.providers.demo.rules.wording import any_of, sentence
from agents.providers.demo.talk import Talk

FAIL = any_of(
    r"^(?:please )?(?:break off|fail|crash|show me (?:a |how a )?(?:failed answer|failure|broken answer))"
    r"(?:\s+(?:once|in the middle|half-?way).*)?$",
    "^请?(?:中途)?(?:出错|失败|断掉|报错)(?:一次|给我看)?$",
)
RETRY = any_of(
    r"^(?:please )?(?:stumble|hiccup|show me (?:a |how a )?(?:retry|hiccup))(?:\s+once)?$",
    "^请?(?:卡一下|断线重试|重试一次|演示重试)$",
)
TEXTS = {
    "failed": (
        "This answer breaks off in its middle, as you asked. What has been written up to the break is kept, "
        "and the page says what happened and offers **Retry**. When you press it, the same turn goes on "
        "after its last finished step, and the broken text gives way to a whole one. You are reading the "
        "whole one now, or you are about to press it.",
        "按你的要求，这个回答会在中间断开。断开之前写出的文字会保留，页面会说明发生了什么，并提供**重试**。"
        "按下之后，这一轮从最后一个完成的步骤继续，断掉的文字由完整的取代。现在你读到的要么是完整的回答，"
        "要么正要按下重试。",
    ),
    "retry": (
        "The connection to the model broke once while this was written. The engine waited a moment and asked "
        "again, and the page said so in the meantime. The first text was withdrawn when this one began, so "
        "nothing stands here twice.",
        "写这段话时，与模型的连接断过一次。引擎稍等片刻后重新请求，其间页面也作了说明。新文字出现时，"
        "先前的文字被撤回，所以这里没有任何重复。",
    ),
}


def trouble_rule(talk: Talk) -> Plan | None:
    text = sentence(talk)
    if FAIL.match(text):
        return break_off(Step(talk.pick(*TEXTS["failed"]), breaks="failed"))
    if RETRY.match(text):
        return break_off(Step(talk.pick(*TEXTS["retry"]), breaks="retry"))
    return None


def break_off(step: Step) -> Plan:
    yield from ()
    return step
