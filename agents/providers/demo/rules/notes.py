"""Notes: keep, list, find and delete them. To delete one by its words it is searched for first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from agents.providers.demo.markdown import bullets, plain, quote, table, unmarked
from agents.providers.demo.plan import Call, Plan, Step, answer, joined
from agents.providers.demo.rules.dates import day_in_words
from agents.providers.demo.rules.failures import failure
from agents.providers.demo.rules.notes_wording import (
    ALL_ZH,
    DELETE,
    FIND,
    KEEP,
    KEEP_RESULT,
    LIST,
    find_first,
    note_meant,
)
from agents.providers.demo.rules.wording import query_in, sentence
from agents.providers.demo.talk import Talk

MAX_KEPT = 1_000
MAX_DELETED = 20
LINE = re.compile(r"^#(\d+) · (\d{4}-\d\d-\d\d) · (.*(?:\n  .*)*)", re.MULTILINE)
DELETED = re.compile(r"Note (\d+) is deleted: (.*)")


@dataclass(frozen=True, slots=True)
class Note:
    number: int
    day: date
    text: str


def keep_rule(talk: Talk) -> Plan | None:
    if "add_note" not in talk.tools:
        return None
    if KEEP_RESULT.match(sentence(talk)):
        return keep_result(talk)
    found = find_first(KEEP, talk.text.strip())
    return keep(talk, found["text"].strip().strip('“”"')) if found else None


def keep_result(talk: Talk) -> Plan:
    text = unmarked(talk.last_answer).strip().split("\n\n")[0].rstrip(":：")
    if not text:
        return answer(talk.pick("There is no result yet that I could keep.", "还没有可以记下来的结果。"))
    return keep(talk, text[:MAX_KEPT])


def keep(talk: Talk, text: str) -> Plan:
    outcomes = yield Step(calls=(Call("add_note", {"text": text}),))
    if problem := failure(talk, outcomes):
        return Step(problem)
    number = re.search(r"\d+", outcomes[0].output)
    name = f" **{number[0]}**" if number else ""
    ending = talk.pick(
        "It can be found from every chat of yours, and from no one else's.",
        "你的每个对话里都能找到它，别人看不到。",
    )
    return Step(joined(talk.pick(f"Kept as note{name}:", f"已记为笔记{name}："), quote(text), ending))


def list_rule(talk: Talk) -> Plan | None:
    if "list_notes" in talk.tools and LIST.match(sentence(talk)):
        return tell_all(talk)
    return None


def tell_all(talk: Talk) -> Plan:
    outcomes = yield Step(calls=(Call("list_notes"),))
    if problem := failure(talk, outcomes):
        return Step(problem)
    notes = read_notes(outcomes[0].output)
    if not notes:
        return Step(no_notes(talk))
    count = f"{len(notes)} {'note' if len(notes) == 1 else 'notes'}"
    lead = talk.pick(f"You have **{count}**:", f"你有 **{len(notes)} 条**笔记：")
    return Step(joined(lead, notes_table(talk, notes)))


def no_notes(talk: Talk) -> str:
    return talk.pick(
        "You have no notes yet. Say *Keep a note: …* and there is one.",
        "你还没有笔记。说*记一条笔记：……*就会有第一条。",
    )


def find_rule(talk: Talk) -> Plan | None:
    found = find_first(FIND, sentence(talk)) if "search_notes" in talk.tools else None
    return find(talk, query_in(found["query"])) if found else None


def find(talk: Talk, query: str) -> Plan:
    outcomes = yield Step(calls=(Call("search_notes", {"query": query}),))
    if problem := failure(talk, outcomes):
        return Step(problem)
    notes = read_notes(outcomes[0].output)
    return Step(told(talk, query, notes) if notes else nothing_about(talk, query))


def nothing_about(talk: Talk, query: str) -> str:
    return talk.pick(f"Nothing in your notes about “{plain(query)}”.", f"你的笔记里没有“{plain(query)}”。")


def told(talk: Talk, query: str, notes: list[Note]) -> str:
    if len(notes) > 1:
        lead = talk.pick(
            f"{len(notes)} notes mention “{plain(query)}”:", f"有 {len(notes)} 条笔记提到“{plain(query)}”："
        )
        return joined(lead, notes_table(talk, notes))
    day, number = day_in_words(talk, notes[0].day), notes[0].number
    lead = talk.pick(f"Your note of {day} (no. {number}) says:", f"你 {day}的笔记（第 {number} 号）写着：")
    return joined(lead, quote(notes[0].text))


def delete_rule(talk: Talk) -> Plan | None:
    found = DELETE.match(sentence(talk)) if "delete_note" in talk.tools else None
    if found is None:
        return None
    rest = (found["rest"] or found["rest_zh"] or "").strip()
    if numbers := [int(number) for number in re.findall(r"\d+", rest)][:MAX_DELETED]:
        return delete(talk, numbers)
    if query := note_meant(rest):
        return delete_found(talk, query) if "search_notes" in talk.tools else None
    if found["all"] or found["clear"] or ALL_ZH.search(rest):
        return delete_all(talk) if "list_notes" in talk.tools else None
    return answer(
        talk.pick(
            "Which note? Say its number, or a word that it contains.",
            "删除哪一条？请说出编号，或它包含的词。",
        )
    )


def delete_all(talk: Talk) -> Plan:
    outcomes = yield Step(calls=(Call("list_notes"),))
    if problem := failure(talk, outcomes):
        return Step(problem)
    notes = read_notes(outcomes[0].output)[:MAX_DELETED]
    if not notes:
        return Step(no_notes(talk))
    return (yield from delete(talk, [note.number for note in notes]))


def delete_found(talk: Talk, query: str) -> Plan:
    outcomes = yield Step(calls=(Call("search_notes", {"query": query}),))
    if problem := failure(talk, outcomes):
        return Step(problem)
    notes = read_notes(outcomes[0].output)
    if not notes:
        untouched = talk.pick("So nothing was deleted.", "所以什么也没有删除。")
        return Step(f"{nothing_about(talk, query)} {untouched}")
    if len(notes) > 1:
        lead = talk.pick(
            "That fits more than one note, so nothing was deleted. Say the number of the one you mean:",
            "符合的不止一条，所以还没有删除。请说出要删除的编号：",
        )
        return Step(joined(lead, notes_table(talk, notes)))
    return (yield from delete(talk, [notes[0].number]))


def delete(talk: Talk, numbers: list[int]) -> Plan:
    outcomes = yield Step(calls=tuple(Call("delete_note", {"note_id": number}) for number in numbers))
    gone = [DELETED.match(outcome.output) for outcome in outcomes if not outcome.is_error]
    lines = [
        talk.pick(
            f"Note **{match[1]}** is deleted: ~~{plain(match[2])}~~",
            f"笔记 **{match[1]}** 已删除：~~{plain(match[2])}~~",
        )
        for match in gone
        if match
    ]
    return Step(joined(bullets(lines) if len(lines) > 1 else "".join(lines), failure(talk, outcomes)))


def read_notes(output: str) -> list[Note]:
    return [
        Note(int(match[1]), date.fromisoformat(match[2]), match[3].replace("\n  ", "\n"))
        for match in LINE.finditer(output)
    ]


def notes_table(talk: Talk, notes: list[Note]) -> str:
    head = talk.pick("No.|Kept on|Note", "编号|日期|内容").split("|")
    rows = [[str(note.number), day_in_words(talk, note.day), plain(note.text)] for note in notes]
    return table(head, rows, right="rll")
