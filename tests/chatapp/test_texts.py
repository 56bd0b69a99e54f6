"""Text of every kind, from people, models and tools: stored and shown as it is, or refused, never a 500."""

import json
from typing import Any

import pytest

from agents import tool
from agents.deltas import ReasoningDelta, TextDelta, ToolCallDelta
from agents.errors import ToolError
from agents.testing import Turn, call, text
from agents.transcript import (
    AssistantTextEntry,
    InputEntry,
    ReasoningEntry,
    ToolCallEntry,
    ToolResultEntry,
    clean_json,
    clean_text,
)
from chatapp import services
from chatapp.eventlog import read_after
from tests.chatapp.conftest import DATA, ended, seen, segments, send

HALF, OTHER_HALF = "\ud83d", "\ude00"
TEXTS = {
    "NUL": "a\0b\0",
    "half an emoji": f"a{HALF}",
    "half an emoji in the middle": f"a{HALF}b",
    "the other half": f"{OTHER_HALF}b",
    "two halves": f"{HALF}{OTHER_HALF}",
    "halves in the wrong order": f"{OTHER_HALF}{HALF}",
    "line ends": "a\r\nb\rc\n\r\nd",
    "control characters": "".join(map(chr, range(1, 32))) + "\x7f\x1b[31mred",
    "noncharacters": "\ufeff\ufffe\uffff\U0010ffff",
    "separators": "a\u2028b\u2029c\x85d",
    "RTL": "שלום \u202eעולם\u202c العربية ١٢٣",
    "CJK": "你好，世界 日本語 한국어 𠮷",
    "emoji": "👩‍👩‍👧‍👦 🇺🇳 ☃️ é",
    "JSON": '{"a": "\\ud83d\\u0000"} \\u0000 \\x00',
    "quotes": "'\"`$(x) %s %(a)s {0} {{ a }} {% if %}",
}


@tool
def echo(word: str) -> str:
    """Says it again."""
    return word


@tool
def breaks(word: str) -> str:
    """Fails with it."""
    raise ToolError(word)


def piecemeal(said: str, kind: Any = TextDelta) -> Turn:
    """Every character in a delta of its own, also the halves of one."""
    return Turn(tuple(kind(char) for char in said))


def looked_at(client, thread, operator_client, run_id: str) -> None:
    """Every way to look at a thread works, and its socket's frames are what a browser can read."""
    piece = f"/threads/{thread.id}/"
    for path in ("", "turns/", f"turns/{run_id}/", "conversation/", "export.json", "export.md"):
        assert client.get(piece + path).status_code == 200, path
    assert client.get("/sidebar/").status_code == 200
    assert operator_client.get(f"/admin/chatapp/thread/{thread.id}/change/").status_code == 200
    for frame in read_after(thread.id, run_id, 0):
        json.dumps(frame, ensure_ascii=False).encode()


def turns_with(given: str) -> list[Turn]:
    """A model that thinks, says, and calls with it, also a tool that is none."""
    arguments = json.dumps({"word": given}, ensure_ascii=False)
    calls = Turn((ToolCallDelta(0, "c1", "echo"), *(ToolCallDelta(0, arguments=char) for char in arguments)))
    calls += call("breaks", arguments, call_id="c2") + call(given, given, call_id=given)
    thought, said = piecemeal(f"I think {given}", ReasoningDelta), piecemeal(f"I say {given}")
    return [thought + said + calls, piecemeal(f"Fine: {given}.")]


def test_it_passes_through_every_place(client, script, thread, client_for, operator):
    script(*[turn for given in TEXTS.values() for turn in turns_with(given)], tools=[echo, breaks])
    operators = client_for(operator)
    for name, given in TEXTS.items():
        run_id = services.send(thread, f"Go {given}").run_id
        ended(thread)
        segment, kept = segments(thread)[-1], clean_text(given)
        assert (segment.run_id, segment.meta["status"]) == (run_id, "completed"), name
        assert segment.entries[:3] == [
            InputEntry("user", f"Go {kept}"),
            ReasoningEntry(f"I think {kept}", provider="scripted"),
            AssistantTextEntry(f"I say {kept}"),
        ]
        named = {entry.call_id: entry for entry in segment.entries if isinstance(entry, ToolCallEntry)}
        assert clean_json(json.loads(named["c1"].arguments, strict=False)) == {"word": kept}, name
        results = {e.call_id: e.output for e in segment.entries if isinstance(e, ToolResultEntry)}
        assert (results["c1"], results["c2"], len(results)) == (kept, kept, 3), name
        assert segment.entries[-1] == AssistantTextEntry(f"Fine: {kept}.")
        assert seen(thread, run_id) == f"I say {kept}Fine: {kept}.", name
        assert seen(thread, run_id, "reasoning_delta") == f"I think {kept}", name
        looked_at(client, thread, operators, run_id)


@pytest.mark.parametrize("escape", ["\\ud83d", "\\u0000", "a\\ud83d\\u0000b"])
def test_escapes_in_json_of_what_no_text_may_hold(client, script, thread, client_for, operator, escape):
    """Plain ASCII as it comes and is stored, and something else for who reads it as JSON."""
    word = f'"{escape}"'
    says_json = call("echo", {"word": f"[{word}]"}, call_id="c2")
    script(call("echo", f'{{"word": {word}}}', call_id="c1") + says_json, text("Fine."), tools=[echo])
    run_id = send(client, thread, "Go").json()["run_id"]
    ended(thread)
    (segment,) = segments(thread)
    results = [entry.output for entry in segment.entries if isinstance(entry, ToolResultEntry)]
    assert results == [clean_text(json.loads(word)), f"[{word}]"]
    looked_at(client, thread, client_for(operator), run_id)


def test_it_makes_a_title_and_is_one(client, script, thread, user):
    script(*[text("Fine.")] * len(TEXTS))
    for name, given in TEXTS.items():
        made = services.new_thread(user, f"Go {given}")
        services.rename(thread, f"Name {given}")
        for titled in (made, thread):
            titled.refresh_from_db()
            assert client.get(f"/threads/{titled.id}/").status_code == 200, name
            assert client.get(f"/threads/{titled.id}/export.md").status_code == 200, name
        assert made.title.startswith("Go"), name
        assert thread.title == " ".join(f"Name {clean_text(given)}".split()), name


def test_a_megabyte(client, script, thread, client_for, operator):
    large = "word 語 " * 142_857
    script(call("echo", {"word": large}) + text("x"), Turn((TextDelta(large),)), tools=[echo])
    run_id = send(client, thread, large).json()["run_id"]
    ended(thread)
    (segment,) = segments(thread)
    assert segment.entries[0] == InputEntry("user", large)
    assert segment.entries[-1] == AssistantTextEntry(large)
    assert seen(thread, run_id).endswith(large)
    looked_at(client, thread, client_for(operator), run_id)


def test_arguments_nested_without_end_are_no_fault_of_ours(client, script, thread, caplog):
    deep = ['{"word": ' + '{"a": ' * depth + "1" + "}" * depth + "}" for depth in (300, 700, 990, 100_000)]
    script(*[turn for arguments in deep for turn in (call("echo", arguments), text("Fine."))], tools=[echo])
    for _ in deep:
        run_id = send(client, thread, "Go").json()["run_id"]
        ended(thread)
        segment = segments(thread)[-1]
        assert (segment.run_id, segment.meta["status"]) == (run_id, "completed")
        assert [type(e) for e in segment.entries[1:3]] == [ToolCallEntry, ToolResultEntry]
        assert client.get(f"/threads/{thread.id}/turns/{run_id}/").status_code == 200
        assert client.get(f"/threads/{thread.id}/export.json").status_code == 200
    assert not [record for record in caplog.records if record.exc_info]


def test_strange_addresses_are_no_500(client, thread):
    """Every parameter that an address may carry, in the path or behind it, and every field of a form."""
    client.raise_request_exception = False
    for stray in ("%00", "%ED%A0%BD", "%FF", "9" * 400, "a%2Fb", "%E2%80%AE"):
        assert broken_by(client, thread, stray) == []


def broken_by(client, thread, stray: str) -> list[str]:
    piece = f"/threads/{thread.id}/"
    paths = [
        f"{piece}turns/{stray}/",
        f"{piece}steps/{stray}/",
        f"{piece}queue/{stray}/",
        f"/threads/{stray}/",
    ]
    names = ("before", "call", "of", "thread", "run", "after")
    query = "&".join(f"{name}={stray}" for name in names)
    paths += [f"{piece}{end}?{query}" for end in ("", "turns/", "steps/x/", "conversation/", "export.json")]
    paths += [f"/sidebar/?{query}", f"/?{query}"]
    form = "&".join(
        f"{name}={stray}" for name in ("text", "client_id", "assistant", "ref", "action", "title")
    )
    kind = "application/x-www-form-urlencoded"
    commands = ["messages/", "edit/", "regenerate/", "recover/", "rename/", "queue/"]
    answers = {path: client.get(path, **DATA).status_code for path in paths}
    answers |= {
        path: client.post(piece + path, form, content_type=kind, **DATA).status_code for path in commands
    }
    return [path for path, status in answers.items() if status >= 500]
