"""The slow job: something to watch, to stop, to leave and to come back to. And a longer task built on it."""

from __future__ import annotations

import re

from agents.providers.demo.markdown import plain, table
from agents.providers.demo.numbers import COUNT, count
from agents.providers.demo.plan import Call, Plan, Step, joined
from agents.providers.demo.rules.failures import failure
from agents.providers.demo.rules.wording import any_of
from agents.providers.demo.talk import Outcome, Talk

DEFAULT_STEPS = 5
MAX_STEPS = 60
JOB = any_of(
    r"\b(?:run|start|do|launch|begin|try|another)\b.*\b(?:slow|long|practice|test)\b.*\b(?:job|task)\b",
    r"^(?:a )?(?:slow|practice) job\b",
    "(?:运行|执行|启动|开始|做|跑|来|试).*(?:慢速?|长|耗时|练习)的?(?:任务|作业|工作)",
    "^(?:慢速?|耗时|练习)任务",
)
STEPS = re.compile(
    rf"\b(?P<en>{COUNT})[\s-](?:more\s+)?steps?\b|(?P<zh>{COUNT})\s*个?(?:步骤?|阶段)", re.IGNORECASE
)
NAMES = any_of(r"(?:steps?|步骤?|阶段)\s*(?:called|named|叫|名为|分别是)?\s*[:：]\s*(?P<names>.+)$")
SPLIT = re.compile(r"\s*(?:,\s*and\b|[,;、，；\n]|\band\b|和)\s*", re.IGNORECASE)

PRICE_LISTS = any_of(
    r"\bprice lists?\b.*\bsuppliers?\b",
    r"\bsuppliers?\b.*\bprice lists?\b",
    "供应商.*(?:价格|报价)",
    "(?:价格|报价).*供应商",
)
SUPPLIERS = {
    "Arnold": "18.90",
    "Brandt": "17.40",
    "Czerny": "19.20",
    "Dorn & Söhne": "16.85",
    "Eberle": "17.10",
}


def job_rule(talk: Talk) -> Plan | None:
    if "slow_job" not in talk.tools or not JOB.search(talk.text):
        return None
    return run_job(talk)


def run_job(talk: Talk) -> Plan:
    arguments = arguments_of(talk.text)
    steps = arguments["steps"]
    lead = talk.pick(
        f"I start it now, with {steps} steps of about a second each. Stop it, reload the page or close the "
        "tab: it runs on the server, and what it has done is kept.",
        f"现在开始，共 {steps} 步，每步大约一秒。可以停止它、刷新页面或关掉标签页：它在服务器上运行，"
        "做完的部分会保留。",
    )
    outcomes = yield Step(lead, calls=(Call("slow_job", arguments),))
    return Step(
        failure(talk, outcomes)
        or talk.pick(
            f"The job is done: **{steps} of {steps} steps**.", f"任务完成：**{steps} / {steps} 步**。"
        )
    )


def arguments_of(text: str) -> dict[str, object]:
    named = NAMES.search(text)
    names = (
        [name.strip().rstrip(".。") for name in SPLIT.split(named["names"]) if name.strip()] if named else []
    )
    if len(names) > 1:
        return {"steps": len(names[:MAX_STEPS]), "names": names[:MAX_STEPS]}
    counted = STEPS.search(text)
    steps = count(counted["en"] or counted["zh"]) if counted else DEFAULT_STEPS
    return {"steps": max(1, min(steps, MAX_STEPS))}


def price_lists_rule(talk: Talk) -> Plan | None:
    if not {"slow_job", "search_threads"} <= talk.tools or not PRICE_LISTS.search(talk.text):
        return None
    return compare_price_lists(talk)


def compare_price_lists(talk: Talk) -> Plan:
    thinking = talk.pick(
        "First I look whether this was a subject before. Then the lists have to be read one after the other, "
        "which takes a while; the cheapest one is known only when all of them are through.",
        "先看看以前有没有谈过这件事。然后逐份阅读报价单，需要一点时间；全部读完才知道哪家最便宜。",
    )
    query = talk.pick("price list", "报价")
    found = yield Step(thinking=thinking, calls=(Call("search_threads", {"query": query}),))
    lead = talk.pick(
        f"{earlier(talk, found)} I am reading all five.", f"{earlier(talk, found)}我现在读全部五份。"
    )
    read = yield Step(lead, calls=(Call("slow_job", {"steps": len(SUPPLIERS), "names": list(SUPPLIERS)}),))
    if problem := failure(talk, read):
        return Step(problem)
    cheapest = min(SUPPLIERS, key=lambda name: float(SUPPLIERS[name]))
    kept = ""
    if "add_note" in talk.tools and re.search(r"\bnotes?\b|笔记", talk.text, re.IGNORECASE):
        text = talk.pick(
            f"Cheapest for 80 g paper (sample figures): {cheapest}, {SUPPLIERS[cheapest]} € a box",
            f"80 克纸最便宜（示例数据）：{cheapest}，每箱 {SUPPLIERS[cheapest]} 元",
        )
        written = yield Step(calls=(Call("add_note", {"text": text}),))
        kept = failure(talk, written) or talk.pick("The result is in your notes.", "结果已记入笔记。")
    return Step(joined(comparison(talk, cheapest), kept))


def earlier(talk: Talk, outcomes: list[Outcome]) -> str:
    number = re.match(r"(\d+) threads?", outcomes[0].output)
    if number is None:
        return talk.pick("This has not come up in your other chats.", "其他对话里没有谈过。")
    return talk.pick(
        f"This has come up before, in {number[0].replace('thread', 'chat')}.",
        f"以前在 {number[1]} 个对话里谈到过。",
    )


def comparison(talk: Talk, cheapest: str) -> str:
    head = talk.pick("Supplier|80 g A4, a box", "供应商|80 克 A4，每箱").split("|")
    unit = talk.pick("€", "元")
    rows = [
        [f"**{plain(name)}**", f"**{price} {unit}**"]
        if name == cheapest
        else [plain(name), f"{price} {unit}"]
        for name, price in sorted(SUPPLIERS.items(), key=lambda item: float(item[1]))
    ]
    return joined(
        talk.pick(f"**{plain(cheapest)}** is the cheapest:", f"**{plain(cheapest)}** 最便宜："),
        table(head, rows, right="lr"),
        talk.pick(
            "These figures are samples: the demo has no price lists, and its job only waits. A tool of yours "
            "that reads them would run in the same way.",
            "以上是示例数据：演示助手没有报价单，任务只是等待。换成你自己的读取工具，运行方式完全一样。",
        ),
    )
