"""Which sentences the demo understands, and what it calls for them."""

import re
import time

import pytest

from agents.providers.demo.talk import Exchange, Outcome
from agents.providers.demo.texts.help import OFFERS
from tests.agents.demo import ALL_TOOLS, ask, calls

OFFERED = re.compile(r"(?<!\\)\*(.+?)(?<!\\)\*")
NOT_UNDERSTOOD = re.compile("I do not know what to do|我不知道该怎么处理")
TOKYO = Outcome("clock", {}, "2026-11-24 21:04 Tuesday · Tokyo (Asia/Tokyo, UTC+09:00)")
LIMA = Outcome("clock", {}, "2026-11-24 07:04 Tuesday · Lima (America/Lima, UTC-05:00)")
ONE_NOTE = Outcome("search_notes", {}, "1 note\n#12 · 2026-01-12 · 46 boxes of 80 g A4\n  at 5 reams each")
TWO_NOTES = Outcome("search_notes", {}, "2 notes\n#12 · 2026-01-12 · a\n#7 · 2025-12-01 · b")
NO_NOTES = Outcome("search_notes", {}, "No notes")


@pytest.mark.parametrize(
    "text, expressions",
    [
        ("17.5 % of 2,480, and the sum", ["2480 * 0.175", "2480 * 1.175"]),
        ("What is 20% of 50?", ["50 * 0.2"]),
        ("15% tip on 84.50", ["84.5 * 0.15", "84.5 * 1.15"]),
        ("20 % off 50", ["50 * 0.2", "50 * 0.8"]),
        ("200 minus 15 %", ["200 * 0.15", "200 * 0.85"]),
        ("increase 200 by 15 percent", ["200 * 0.15", "200 * 1.15"]),
        ("take 10% off 99.90", ["99.9 * 0.1", "99.9 * 0.9"]),
        ("1240 plus VAT", ["1240 * 0.19", "1240 * 1.19"]),
        ("1240 € with 7 % VAT", ["1240 * 0.07", "1240 * 1.07"]),
        ("what percent is 30 of 120", ["30 / 120 * 100"]),
        ("30 is what percent of 120?", ["30 / 120 * 100"]),
        ("what percentage of 120 is 30", ["30 / 120 * 100"]),
        ("2,480 的 17.5 %，以及总和", ["2480 * 0.175", "2480 * 1.175"]),
        ("二十五的百分之十", ["25 * 0.1"]),
        ("200 加百分之十五", ["200 * 0.15", "200 * 1.15"]),
        ("1.5万的百分之二", ["15000 * 0.02"]),
        ("30 是 120 的百分之几？", ["30 / 120 * 100"]),
    ],
)
def test_percent_sentences(text: str, expressions: list[str]) -> None:
    assert calls(text) == [("calculator", expression) for expression in expressions]


@pytest.mark.parametrize(
    "text, expressions",
    [
        ("what is 12 times 7?", ["12 * 7"]),
        ("12*7", ["12*7"]),
        ("Calculate (3 + 4) ^ 2 / 7.", ["(3 + 4) ^ 2 / 7"]),
        ("what is 12 times 7 and 2^10", ["12 * 7", "2^10"]),
        ("sqrt(2); 5!", ["sqrt(2)", "5!"]),
        ("the square root of 2 plus 1", ["√ 2 + 1"]),
        ("2 to the power of 64", ["2 ^ 64"]),
        ("1e50 * 3 =", ["1e50 * 3"]),
        ("1/0", ["1/0"]),
        ("sum of 12, 15.5 and 1,200", ["sum(12, 15.5, 1200)"]),
        ("what is the average of 3,4,8?", ["avg(3, 4, 8)"]),
        ("三加五乘以二等于多少？", ["3 + 5 * 2"]),
        ("一万二千三百除以五", ["12300 / 5"]),
        ("计算 2^10", ["2^10"]),
        ("3、4 和 8 的平均值", ["avg(3, 4, 8)"]),
    ],
)
def test_arithmetic_in_figures_and_words(text: str, expressions: list[str]) -> None:
    assert calls(text) == [("calculator", expression) for expression in expressions]


@pytest.mark.parametrize(
    "text, first",
    [
        ("What do we pay in three years for 1,240 plus VAT, at +3 % a year?", "1240 * 1.19"),
        ("rent of 900 € a month for 10 years, rising 2 % a year", "900 * 12 * (1.02**10 - 1) / 0.02"),
        ("What does 1,240 a month cost over two years?", "1240 * 12 * 2"),
        ("12,000 a year for three years at +3 %, 20 % VAT", "12000 * 1.2"),
        ("每月租金 1,240 加税，每年涨 3 %，三年一共付多少？", "1240 * 1.09"),
        ("租金每月 900 元，每年涨百分之二，两年多少钱", "900 * 12 * (1 + 1.02)"),
    ],
)
def test_an_amount_over_years(text: str, first: str) -> None:
    assert calls(text) == [("calculator", first)]


def test_the_second_sum_stands_on_the_first_result() -> None:
    text = "What do we pay in three years for 1,240 plus VAT, at +3 % a year?"
    gross = Outcome("calculator", {}, "1475.6")
    assert calls(text, gross) == [("calculator", "1475.6 * 12 * (1 + 1.03 + 1.03**2)")]


@pytest.mark.parametrize(
    "text, places",
    [
        ("What time is it in Tokyo, Lima and Berlin?", ["Tokyo", "Lima", "Berlin"]),
        ("what's the time in New York right now", ["New York"]),
        ("time difference between Tokyo and Lima", ["Tokyo", "Lima"]),
        ("What time is it?", [None]),
        ("what day is it today?", [None]),
        ("东京、利马和柏林现在几点？", ["东京", "利马", "柏林"]),
        ("请告诉我北京现在的时间", ["北京"]),
        ("今天星期几？", [None]),
        ("东京和纽约相差几个小时", ["东京", "纽约"]),
    ],
)
def test_one_clock_call_for_each_place(text: str, places: list[str | None]) -> None:
    assert calls(text) == [("clock", place) for place in places]


def test_a_question_may_lean_on_the_one_before() -> None:
    earlier = (Exchange("What time is it in Tokyo?", "It is 21:04."),)
    assert [call.arguments for call in ask("And in Paris?", earlier=earlier).calls] == [{"place": "Paris"}]
    assert ask("And in Paris?").calls == ()


@pytest.mark.parametrize(
    "text, kept",
    [
        ("Keep a note: the alarm code changes on Friday", "the alarm code changes on Friday"),
        ("make a note that Bob called. He will call again", "Bob called. He will call again"),
        ("note: buy milk", "buy milk"),
        ("Remember that the key is under the mat", "the key is under the mat"),
        ("Put the alarm code in my notes", "the alarm code"),
        ("记一条笔记：警报密码周五更换", "警报密码周五更换"),
        ("帮我记一下明天买牛奶", "明天买牛奶"),
        ("keep a note: line one\nline two", "line one\nline two"),
    ],
)
def test_keeping_a_note(text: str, kept: str) -> None:
    assert calls(text) == [("add_note", kept)]


@pytest.mark.parametrize(
    "text", ["show my notes", "List all my notes.", "What did I note?", "列出我的笔记", "我的笔记"]
)
def test_listing_notes(text: str) -> None:
    assert calls(text) == [("list_notes", None)]


@pytest.mark.parametrize(
    "text, query",
    [
        ("find the note about the alarm", "alarm"),
        ("search my notes for paper", "paper"),
        ("What do my notes say about “paper”?", "paper"),
        ("在笔记里找警报", "警报"),
        ("搜索笔记 警报", "警报"),
        ("查找关于警报的笔记", "警报"),
        ("How much paper did we use last year?", "paper"),
        ("When does our alarm code change?", "alarm code"),
        ("我们去年用了多少纸？", "纸"),
    ],
)
def test_finding_notes(text: str, query: str) -> None:
    assert calls(text) == [("search_notes", query)]


@pytest.mark.parametrize(
    "text, numbers",
    [("delete note 3", [3]), ("remove notes 3 and 5", [3, 5]), ("删除笔记 3", [3]), ("删掉第 3 条笔记", [3])],
)
def test_deleting_by_number(text: str, numbers: list[int]) -> None:
    assert calls(text) == [("delete_note", number) for number in numbers]


def test_deleting_by_words_searches_first() -> None:
    text = "delete the note about paper"
    assert calls(text) == [("search_notes", "paper")]
    assert calls(text, ONE_NOTE) == [("delete_note", 12)]


def test_deleting_what_is_not_clear_deletes_nothing() -> None:
    several, none = (
        ask("delete the note about paper", TWO_NOTES),
        ask("delete the note about paper", NO_NOTES),
    )
    assert several.calls == none.calls == ()
    assert "more than one" in several.text
    assert "nothing was deleted" in none.text


def test_deleting_all_notes_deletes_each() -> None:
    text = "delete all my notes"
    assert calls(text) == [("list_notes", None)]
    assert calls(text, TWO_NOTES) == [("delete_note", 12), ("delete_note", 7)]


@pytest.mark.parametrize(
    "text, query",
    [
        ("Search my chats for rent", "rent"),
        ("find “price list” in my conversations", "price list"),
        ("Where did we talk about the rent?", "rent"),
        ("在我的对话里搜索 租金", "租金"),
        ("搜索聊天记录 租金", "租金"),
    ],
)
def test_searching_other_chats(text: str, query: str) -> None:
    assert calls(text) == [("search_threads", query)]


@pytest.mark.parametrize(
    "text, arguments",
    [
        ("Run a slow job with five steps, so that I can stop it", {"steps": 5}),
        ("start a long task of 12 steps", {"steps": 12}),
        ("slow job", {"steps": 5}),
        ("run a slow job with 5000 steps", {"steps": 60}),
        (
            "Run a slow job with the steps: alpha, beta and gamma",
            {"steps": 3, "names": ["alpha", "beta", "gamma"]},
        ),
        ("运行一个五步的慢任务", {"steps": 5}),
    ],
)
def test_running_a_slow_job(text: str, arguments: dict[str, object]) -> None:
    step = ask(text)
    assert [(call.name, call.arguments) for call in step.calls] == [("slow_job", arguments)]
    assert step.text


def test_several_requests_in_one_message_come_one_after_the_other() -> None:
    text = "What time is it in Tokyo? Then calculate 2^10. Put the result in my notes."
    assert calls(text) == [("clock", "Tokyo")]
    second = ask(text, TOKYO)
    assert "21:04" in second.text
    assert [call.arguments for call in second.calls] == [{"expression": "2^10"}]
    assert calls(text, TOKYO, Outcome("calculator", {}, "1024")) == [("add_note", "2^10 = 1,024")]


def test_a_longer_task_searches_works_and_keeps_the_result() -> None:
    text = (
        "Read the price lists of our five suppliers and tell me who is cheapest. Put the result in my notes."
    )
    searched = Outcome("search_threads", {}, "3 threads\n…")
    worked = Outcome("slow_job", {}, "5 of 5 steps finished.")
    assert calls(text) == [("search_threads", "price list")]
    assert "3 chats" in ask(text, searched).text
    assert ask(text, searched).calls[0].arguments["names"][3] == "Dorn & Söhne"
    assert calls(text, searched, worked)[0][0] == "add_note"
    assert "samples" in ask(text, searched, worked, Outcome("add_note", {}, "Note 1 is kept.")).text


@pytest.mark.parametrize("name", ALL_TOOLS)
def test_no_tool_is_called_that_the_request_does_not_offer(name: str) -> None:
    without = tuple(tool for tool in ALL_TOOLS if tool != name)
    sentences = [
        "1+1",
        "17.5 % of 2,480, and the sum",
        "rent of 900 for 10 years",
        "What time is it?",
        "note: buy milk",
        "show my notes",
        "find the note about milk",
        "delete note 3",
        "delete all my notes",
        "delete the note about milk",
        "how much milk did we drink?",
        "search my chats for rent",
        "slow job",
        "Read the price lists of our five suppliers",
    ]
    assert name not in [called for text in sentences for called, _ in calls(text, tools=without)]
    assert all(ask(text, tools=()).calls == () and ask(text, tools=()).text for text in sentences)


@pytest.mark.parametrize(
    "text",
    [
        "Remember the Alamo?",
        "Explain what a note is",
        "I like my notes in a drawer",
        "What a time it was",
        "我很喜欢音乐",
    ],
)
def test_what_only_sounds_like_a_request_calls_nothing(text: str) -> None:
    assert ask(text).calls == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "?",
        "asdf",
        "☃",
        "a" * 100_000,
        "1" * 100_000,
        "(" * 1_000,
        "，" * 1_000,
        "run " * 250,
        "search my chats " * 60,
        "x in my notes " * 70,
    ],
)
def test_anything_else_gets_the_help_which_says_what_this_is(text: str) -> None:
    started = time.thread_time()
    step = ask(text)
    assert time.thread_time() - started < 60  # of CPU: without a bound it takes minutes
    assert step.calls == ()
    for needed in ("demo assistant", "without a model", "OPENAI_BASE_URL", "OPENAI_API_KEY", "CHAT_MODEL"):
        assert needed in step.text


def test_the_help_is_chinese_for_a_chinese_message() -> None:
    text = ask("天气怎么样？").text
    assert all(needed in text for needed in ("演示助手", "没有接入模型", "OPENAI_BASE_URL", "CHAT_MODEL"))


def test_the_help_offers_only_what_the_tools_allow() -> None:
    assert "Tokyo" in ask("help").text
    assert "Tokyo" not in ask("help", tools=("calculator",)).text


def test_every_sentence_of_the_help_is_understood() -> None:
    offers = [offer for _, *texts in OFFERS for text in texts for offer in OFFERED.findall(text)]
    assert len(offers) > 20
    unknown = [offer for offer in offers if NOT_UNDERSTOOD.search(ask(offer.replace("\\*", "*")).text)]
    assert unknown == []
