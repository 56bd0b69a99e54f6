"""The sentences of the help: each in English and in Chinese."""

from __future__ import annotations

WHAT_I_AM = (
    "I am the **demo assistant**. I answer by rules, without a model: I know a handful of requests, and "
    "nothing beyond them. The tools that I use are real, and so is all that this chat does around me.",
    "我是**演示助手**。我按规则回答，没有接入模型：只认得少数几种请求，除此之外一无所知。"
    "不过我用的工具是真的，这个聊天围绕我所做的一切也是真的。",
)
NOT_UNDERSTOOD = (
    "I do not know what to do with “{}”. I am the **demo assistant**: I answer by rules, without a model.",
    "我不知道该怎么处理“{}”。我是**演示助手**：按规则回答，没有接入模型。",
)
CAN_DO = ("You can try:", "可以试试：")

# The tool that it needs ("" for none), and the sentence in both languages.
OFFERS: tuple[tuple[str, str, str], ...] = (
    ("clock", "*What time is it in Tokyo, Lima and Berlin?*", "*东京、利马和柏林现在几点？*"),
    (
        "calculator",
        "*17.5 % of 2,480, and the sum*, or *sqrt(2) \\* 3^5*",
        "*2,480 的 17.5 %，以及总和*，或者 *sqrt(2) \\* 3^5*",
    ),
    (
        "calculator",
        "*What do we pay in three years for 1,240 plus VAT, at +3 % a year?*",
        "*每月租金 1,240 加税，每年涨 3 %，三年一共付多少？*",
    ),
    (
        "add_note",
        "*Keep a note: the alarm code changes on Friday*, *show my notes*, *delete the note about the alarm*",
        "*记一条笔记：警报密码周五更换*、*列出我的笔记*、*删除关于警报的笔记*",
    ),
    ("search_threads", "*Search my chats for rent*", "*在我的对话里搜索 租金*"),
    (
        "slow_job",
        "*Run a slow job with five steps*, to watch it, stop it, or reload in its middle",
        "*运行一个五步的慢任务*，看着它、停止它，或在中途刷新页面",
    ),
    (
        "",
        "*Tell me a long story*, or *explain* one of: leases, logs, history, stop, duplicates",
        "*讲一个长故事*，或者*解释*：租约、日志、历史、停止、重复",
    ),
    ("", "*Show me Markdown*", "*展示 Markdown*"),
    ("", "*What did I ask before?*", "*我之前问了什么？*"),
    (
        "",
        "*Break off in the middle*, or *stumble once*, to see what a failure looks like",
        "*中途出错*，或者*断线重试*，看看出错时是什么样子",
    ),
)
CONNECT = (
    "To have real answers, connect a model. Any server that speaks the OpenAI chat API will do, your own "
    "too; set these in the environment of this server and start it again:\n---\nWith a key of OpenAI's own, "
    "leave the first line out. Other vendors: set their key, and for example `CHAT_MODEL=anthropic:NAME`.",
    "想要真正的回答，请接入一个模型。任何兼容 OpenAI 聊天接口的服务都可以，包括你自己的。"
    "在服务器的环境变量里设置，然后重新启动：\n---\n用 OpenAI 自己的密钥时，省去第一行。其他厂商："
    "设置它们的密钥，以及例如 `CHAT_MODEL=anthropic:NAME`。",
)
ENVIRONMENT = """\
export OPENAI_BASE_URL=http://localhost:11434/v1   # Ollama, vLLM, llama.cpp, …
export OPENAI_API_KEY=…                            # any word, if the server wants none
export CHAT_MODEL=openai:NAME"""
