"""Whole conversations with the demo, through the loop and with real tools."""

import asyncio
import re

import pytest

from agents import Agent, CheckpointOptions, Runner, tool
from agents.providers.demo import DemoProvider
from agents.providers.demo.rules.essays import TOPICS
from agents.providers.demo.talk import Exchange
from agents.providers.demo.texts import read_text
from agents.stores import InMemoryCheckpointer
from agents.tools.base import RunContext
from agents.tools.calculator import calculator
from agents.transcript import AssistantTextEntry, Entry, ToolCallEntry, ToolResultEntry
from tests.agents.demo import Chat, ask, stream

RENT = """\
With 19 % VAT a month costs 1,475.60 €. Over three years, rising 3 % a year, that is **54,731.18 €**:

| Year | Month | Year |
| --- | ---: | ---: |
| 1 | 1,475.60 € | 17,707.20 € |
| 2 | 1,519.87 € | 18,238.42 € |
| 3 | 1,565.46 € | 18,785.57 € |
| **Total** |  | **54,731.18 €** |

As a function, if you want to try other rates:

```python
def rent(month: float, years: int, rise: float = 0.03) -> float:
    return sum(month * 12 * (1 + rise) ** y for y in range(years))

print(f"{rent(1475.60, 3):,.2f}")  # 54,731.18
```"""


async def test_rent_over_three_years() -> None:
    assert await Chat().say("What do we pay in three years for 1,240 plus VAT, at +3 % a year?") == RENT


async def test_the_python_of_the_answer_computes_what_the_answer_says(
    capsys: pytest.CaptureFixture[str],
) -> None:
    answer = await Chat().say("rent of 900 a month for 10 years, rising 2 % a year")
    source = re.search(r"```python\n(.*?)```", answer, re.DOTALL)
    assert source is not None
    exec(source[1], {})
    assert f"# {capsys.readouterr().out.strip()}" in source[1]


async def test_times_of_several_places_in_a_table() -> None:
    answer = await Chat().say("What time is it in Tokyo, Lima and Atlantis?")
    assert re.search(
        r"^\| Tokyo \| \*\*\d\d:\d\d\*\* \| \w+day \d+ \w+ \d{4} \| UTC\+9 \|$", answer, re.MULTILINE
    )
    assert "Tokyo is **14 hours** ahead of Lima." in answer
    assert "- Unknown place: Atlantis." in answer


async def test_times_in_chinese() -> None:
    answer = await Chat().say("东京和利马现在几点？")
    assert re.search(
        r"^\| 利马 \| \*\*\d\d:\d\d\*\* \| \d{4} 年 \d+ 月 \d+ 日，星期. \| UTC-5 \|$", answer, re.MULTILINE
    )
    assert answer.endswith("东京比利马早 **14 小时**。")


async def test_notes_are_kept_listed_found_and_deleted() -> None:
    chat = Chat()
    assert "note **1**" in await chat.say("Keep a note: the alarm | code *changes* on Friday")
    assert chat.notes == {1: "the alarm | code *changes* on Friday"}
    assert r"| 1 | 12 January 2026 | the alarm \| code \*changes\* on Friday |" in await chat.say(
        "show my notes"
    )
    assert "Your note of 12 January 2026 (no. 1) says:" in await chat.say("When does our alarm change?")
    assert "Note **1** is deleted" in await chat.say("delete the note about the alarm")
    assert chat.notes == {}
    assert "no notes" in await chat.say("show my notes")


async def test_a_tools_error_is_told_in_its_words() -> None:
    chat = Chat()
    assert "> Division by zero." in await chat.say("1/0")
    assert "> There is no note 7." in await chat.say("delete note 7")


async def test_what_a_calculator_answers_that_is_no_number_is_not_reckoned_with() -> None:
    step = ask("1240 plus VAT")
    entries: list[Entry] = []
    for number, call in enumerate(step.calls):
        entries += [ToolCallEntry(f"c{number}", call.name, "{}"), ToolResultEntry(f"c{number}", "who knows")]
    text = [
        delta.text for delta in await stream([*question("1240 plus VAT"), *entries]) if hasattr(delta, "text")
    ]
    assert "I cannot use what `calculator` answered" in "".join(text)


def question(text: str) -> list[Entry]:
    from agents.transcript import InputEntry

    return [InputEntry("user", text)]


async def test_it_remembers_the_conversation() -> None:
    chat = Chat()
    assert "first message" in await chat.say("what did I ask before?")
    await chat.say("17.5 % of 2,480")
    assert "> 17.5 % of 2,480" in await chat.say("What did I ask before?")
    assert "> what did I ask before?" in await chat.say("what was my first question?")
    summary = await chat.say("summarise our conversation")
    assert "**4** messages" in summary
    assert "2. 17.5 % of 2,480 · 17.5 % of 2,480 is 434." in summary


async def test_the_last_answer_can_be_repeated_and_kept() -> None:
    chat = Chat()
    answer = await chat.say("17.5 % of 2,480")
    assert await chat.say("say that again") == answer
    await chat.say("put that in my notes")
    assert chat.notes == {1: "17.5 % of 2,480 is 434."}


def test_an_answer_that_was_cut_off_is_named_as_such() -> None:
    earlier = (Exchange("tell me a story", "There was", is_partial=True),)
    assert "cut off" in ask("what did I ask before?", earlier=earlier).text
    assert "cut off" in ask("summarise our chat", earlier=earlier).text


@pytest.mark.parametrize("is_chinese", [False, True])
@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.name)
def test_a_text_that_was_cut_anywhere_can_be_gone_on_with(topic: object, is_chinese: bool) -> None:
    text = read_text(getattr(topic, "name"), is_chinese=is_chinese)  # noqa: B009
    for cut in range(60, len(text), 97):
        earlier = (Exchange("…", text[:cut], is_partial=True),)
        rest = ask("继续" if is_chinese else "go on", earlier=earlier).text
        assert text.endswith(rest)
        assert len(rest) >= len(text) - cut


def test_going_on_can_be_cut_and_gone_on_with_as_well() -> None:
    text = read_text("story", is_chinese=False)
    first = Exchange("tell me a story", text[:500], is_partial=True)
    rest = ask("go on", earlier=(first,)).text
    second = Exchange("go on", rest[:500], is_partial=True)
    assert len(ask("go on", earlier=(first, second)).text) < len(rest) - 300
    assert "nothing to go on with" in ask("go on", earlier=(first, Exchange("go on", rest))).text


def test_without_a_text_that_was_cut_there_is_nothing_to_go_on_with() -> None:
    whole = (Exchange("explain leases", read_text("leases", is_chinese=False)),)
    assert "nothing to go on with" in ask("go on", earlier=whole).text
    assert "nothing to go on with" in ask("go on").text


@pytest.mark.parametrize(
    "text, name",
    [
        ("tell me a long story", "story"),
        ("Explain leases and fencing tokens", "leases"),
        ("What is an append-only log?", "logs"),
        ("How does this chat keep its history?", "history"),
        ("What happens when I press Stop?", "stop"),
        ("Why is nothing done twice?", "once"),
        ("讲一个长故事", "story"),
        ("解释一下租约", "leases"),
        ("什么是只追加的日志？", "logs"),
        ("这个聊天怎样保存历史？", "history"),
        ("按下停止之后会怎样", "stop"),
    ],
)
def test_a_text_for_each_idea_in_the_language_of_the_question(text: str, name: str) -> None:
    assert ask(text).text == read_text(name, is_chinese=text > "一")


@pytest.mark.parametrize("is_chinese", [False, True])
def test_the_texts_are_long_enough_to_be_stopped(is_chinese: bool) -> None:
    lengths = {topic.name: len(read_text(topic.name, is_chinese=is_chinese)) for topic in TOPICS}
    assert min(lengths.values()) > (900 if is_chinese else 2_500), lengths


def test_the_showcase_has_everything() -> None:
    text = ask("show me markdown").text
    assert all(
        piece in text for piece in ("```python", "| Planet |", "1. First", "> Write", "**bold**", "---")
    )


async def test_a_run_that_is_resumed_in_its_middle_goes_on_with_the_plan() -> None:
    """The process dies in the second of three sums; another provider instance finishes the turn."""
    checkpointer, hang = InMemoryCheckpointer(), asyncio.Event()
    calls: list[str] = []

    @tool(name="calculator", repeatable=True)
    async def slow_calculator(ctx: RunContext, expression: str) -> str:
        calls.append(expression)
        if len(calls) == 2:
            hang.set()
            await asyncio.sleep(60)
        return str(await calculator.invoke(ctx, {"expression": expression}))

    def run() -> asyncio.Task[object]:
        agent = Agent(name="Demo", model=DemoProvider(tokens_per_second=None), tools=[slow_calculator])
        text = "What do we pay in three years for 1,240 plus VAT, at +3 % a year?"
        options = CheckpointOptions(checkpointer, "run-1")
        return asyncio.create_task(Runner.run(agent, text, checkpoint=options))  # type: ignore[arg-type]

    first = run()
    await hang.wait()
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    result = await run()
    assert getattr(result, "output") == RENT  # noqa: B009
    assert calls == ["1240 * 1.19", *["1475.6 * 12 * (1 + 1.03 + 1.03**2)"] * 2]


async def test_every_cut_of_a_transcript_leads_to_the_same_end() -> None:
    """A turn that is resumed after any of its results ends as one that nothing has interrupted."""
    text = "What time is it in Tokyo? Then calculate 2^10. Put the result in my notes."
    outcomes: list[Entry] = []
    for number, (name, output) in enumerate(
        [
            ("clock", "2026-11-24 21:04 Tuesday · Tokyo (Asia/Tokyo, UTC+09:00)"),
            ("calculator", "1024"),
            ("add_note", "Note 5 is kept."),
        ]
    ):
        deltas = await stream([*question(text), *outcomes])
        named = [getattr(delta, "name") for delta in deltas if getattr(delta, "name", None)]  # noqa: B009
        assert named == [name]
        outcomes += [ToolCallEntry(f"c{number}", name, "{}"), ToolResultEntry(f"c{number}", output)]
    said = AssistantTextEntry("It is **21:04** in Tokyo.")
    last = await stream([*question(text), said, *outcomes])
    assert "".join(getattr(delta, "text", "") for delta in last).startswith("Kept as note **5**")
