"""The same button fifty times at once, in many tabs: one effect, clear answers, nothing lost, never a 500."""

import random
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import connections
from django.test import Client

from agents.models import Checkpoint, Entry, Segment
from agents.stores.orm import checkpoints, sessions
from agents.testing import hangs, text
from agents.transcript import AssistantTextEntry, InputEntry, pending_tool_calls
from chatapp.lifecycle.queue import enqueue
from chatapp.models import QueuedMessage, Receipt, Revision, RunEvent, Thread
from tests.chatapp.conftest import DATA, ask, ended, said, segments, send, shown, until

TIMES = 50
FINE = text("Fine, thank you.", delay=0.005)
HALF = {"type": "text_delta", "index": 1, "text": "Half an ans"}


@pytest.fixture
def press(client: Client) -> Callable[..., list[Any]]:
    """Posts at once, each from a tab of its own: `press(thread, ("stop/", {}), …)`. → answers, in order

    A path that begins with a slash is no thread's.
    """

    def tab() -> Client:
        opened = Client(raise_request_exception=False)
        opened.cookies = client.cookies
        return opened

    def press(thread: Thread, *posts: tuple[str, dict[str, str]]) -> list[Any]:
        at_once = min(len(posts), settings.WEB_THREADS)  # the others wait in line, as in the server
        everybody = threading.Barrier(at_once)

        def post(path: str, fields: dict[str, str]) -> Any:
            try:
                return tab().post(path if path[0] == "/" else f"/threads/{thread.id}/{path}", fields, **DATA)
            finally:
                connections.close_all()

        with ThreadPoolExecutor(at_once, initializer=everybody.wait, initargs=(20,)) as pool:
            return list(pool.map(lambda one: post(*one), posts))

    return press


def statuses(answers: Iterable[Any]) -> dict[int, int]:
    return dict(Counter(answer.status_code for answer in answers))


def inputs(session_id: str) -> list[Any]:
    return [entry.content for entry in sessions.load(session_id) if isinstance(entry, InputEntry)]


def set_aside(thread: Thread) -> list[Any]:
    """The messages in revisions, oldest first."""
    return [text for cut in thread.revisions.order_by("id") for text in inputs(cut.cut_id)]


def resting(thread: Thread) -> None:
    """Until nothing is live in the thread and nothing waits."""
    until(lambda: not QueuedMessage.objects.filter(thread=thread).exists() or thread_is_held(thread), 30)
    ended(thread)


def thread_is_held(thread: Thread) -> bool:
    thread.refresh_from_db(fields=["queue_held"])
    return bool(thread.queue_held)


def test_send_with_one_client_id_is_one_message(script, thread, press):
    script(FINE)
    fields = {"text": "Hello", "client_id": str(uuid4())}
    answers = press(thread, *[("messages/", fields)] * TIMES)
    assert statuses(answers) == {200: TIMES}
    assert len({answer.json()["run_id"] for answer in answers}) == 1
    ended(thread)
    assert inputs(thread.session_id) == ["Hello"]
    assert Receipt.objects.count() == 1


def test_a_new_chat_with_one_client_id_is_one_thread(script, client, thread, press):
    script(FINE)
    fields = {"text": "Hello", "client_id": str(uuid4())}
    answers = press(thread, *[("/threads/", fields)] * TIMES)
    assert {answer.status_code for answer in answers} == {303}
    assert len({answer["Location"] for answer in answers}) == 1
    (made,) = Thread.objects.exclude(pk=thread.pk)
    ended(made)
    assert inputs(made.session_id) == ["Hello"]


def test_one_client_id_in_two_chats_is_one_message(script, thread, make_thread, press):
    script(*[FINE] * 10)
    other = make_thread(title="Other")
    for _ in range(10):
        fields = {"text": "Hello", "client_id": str(uuid4())}
        answers = press(thread, *[(f"/threads/{each.id}/messages/", fields) for each in (thread, other)])
        assert statuses(answers) == {200: 1, 409: 1}
        ended(thread)
        ended(other)
    assert len(inputs(thread.session_id) + inputs(other.session_id)) == Receipt.objects.count() == 10


def test_sends_without_one_are_all_there_and_answered_in_order(script, thread, press):
    script(*[FINE] * 20)
    texts = [f"message {n}" for n in range(20)]
    answers = press(thread, *[("messages/", {"text": text}) for text in texts])
    assert statuses(answers) == {200: 20}
    assert [answer.json()["queued"] for answer in answers].count(False) == 1
    resting(thread)
    assert sorted(inputs(thread.session_id)) == sorted(texts)
    assert len(segments(thread)) == 20


def test_stop_folds_once(script, client, thread, press):
    script(hangs("So far so good"))
    send(client, thread, "Go")
    until(lambda: shown(thread) == "So far so good")
    assert statuses(press(thread, *[("stop/", {})] * TIMES)) == {200: TIMES}
    (segment,) = segments(thread)
    assert segment.meta["status"] == "stopped"
    assert segment.entries == [ask("Go"), AssistantTextEntry("So far so good", partial=True)]


def test_stop_between_two_answers_holds_what_was_about_to_start(client, thread):
    enqueue(thread, "Later")
    assert client.post(f"/threads/{thread.id}/stop/", **DATA).status_code == 200
    assert thread_is_held(thread)


def test_exactly_one_resume_resumes(script, thread, press, add_flight):
    provider = script(FINE)
    add_flight(ask("Go"), frames=[HALF])
    assert statuses(press(thread, *[("recover/", {"action": "resume"})] * TIMES)) == {200: 1, 409: TIMES - 1}
    ended(thread)
    assert len(provider.requests) == 1
    assert said(thread.session_id) == ["Go", "Fine, thank you."]


@pytest.mark.parametrize(("is_live", "with_id"), [(False, True), (True, False)])
def test_edit_makes_one_run_and_stops_no_other(script, client, thread, press, add_run, is_live, with_id):
    script(*([hangs("So far")] if is_live else []), *[text("Fine, thank you.", delay=0.1)] * 3)
    if is_live:
        run_id = send(client, thread, "Tell me").json()["run_id"]
        until(lambda: shown(thread) == "So far")
    else:
        run_id = add_run(ask("Tell me"), AssistantTextEntry("No."))
    fields = {"ref": f"{run_id}:0", **({"client_id": str(uuid4())} if with_id else {})}
    texts = [f"text {n}" for n in range(TIMES)]
    answers = press(thread, *[("edit/", fields | {"text": text}) for text in texts])
    assert statuses(answers) == ({200: TIMES} if with_id else {200: 1, 409: TIMES - 1})
    ended(thread)
    (segment,) = segments(thread)
    assert segment.meta["status"] == "completed"
    assert segment.entries[0].content in texts
    assert set_aside(thread) == ["Tell me"]


@pytest.mark.parametrize(("is_live", "with_id"), [(False, True), (True, False)])
def test_regenerate_loses_no_answer(script, client, thread, press, add_run, is_live, with_id):
    script(*([hangs("So far")] if is_live else []), *[text("Fine, thank you.", delay=0.1)] * TIMES)
    if is_live:
        send(client, thread, "Tell me")
        until(lambda: shown(thread) == "So far")
    else:
        add_run(ask("Tell me"), AssistantTextEntry("No."))
    fields = {"client_id": str(uuid4())} if with_id else {}
    counted = statuses(press(thread, *[("regenerate/", fields)] * TIMES))
    ended(thread)
    (segment,) = segments(thread)
    assert [entry.content for entry in segment.entries] == ["Tell me", "Fine, thank you."]
    assert set(counted) <= {200, 409}
    # Without an id a press that comes late enough is one on the new answer.
    assert set_aside(thread) == ["Tell me"] * (1 if with_id else counted[200])
    assert counted == {200: TIMES} if with_id else counted[200] < TIMES


def test_keep_and_discard_at_once_is_one_of_them(script, thread, press, add_flight):
    add_flight(ask("Go"), frames=[HALF])
    posts = [("recover/", {"action": action}) for action in ("keep", "discard") for _ in range(TIMES // 2)]
    assert statuses(press(thread, *posts)) == {200: 1, 409: TIMES - 1}
    assert inputs(thread.session_id) + set_aside(thread) == ["Go"]
    assert checkpoints.in_flight(thread.session_id) is None


def test_every_way_out_of_an_interrupted_answer_at_once_is_one_of_them(script, thread, press, add_flight):
    script(*[FINE] * 20)
    add_flight(ask("Go"), frames=[HALF])
    posts = [("recover/", {"action": action}) for action in ("keep", "discard", "resume") for _ in range(10)]
    sends = [("messages/", {"text": f"message {n}"}) for n in range(10)]
    answers = press(thread, *posts, *sends)
    assert statuses(answers[-10:]) == {200: 10}
    assert statuses(answers[:-10]).get(200, 0) <= 1
    resting(thread)
    everything = inputs(thread.session_id) + set_aside(thread)
    queued = [waiting.content for waiting in thread.queue.all()]
    assert sorted(everything + queued) == sorted(["Go", *(f"message {n}" for n in range(10))])


def test_delete_while_others_send_leaves_nothing(script, thread, press):
    script(*[FINE] * TIMES)
    posts = [("messages/", {"text": "Hello", "client_id": str(uuid4())}) for _ in range(20)]
    posts += [("delete/", {}), ("edit/", {"ref": "a:0", "text": "x"}), ("regenerate/", {}), ("stop/", {})] * 5
    answers = press(thread, *random.Random(1).sample(posts, len(posts)))
    assert set(statuses(answers)) <= {200, 404, 409}
    until(lambda: not Checkpoint.objects.exists())
    tables = (Thread, Checkpoint, Segment, Entry, RunEvent, Receipt, QueuedMessage, Revision)
    assert [table.__name__ for table in tables if table.objects.exists()] == []


def test_thirty_runs_and_their_readers_meet_no_locked_database(script, client, make_thread, press, caplog):
    script(*[FINE] * 30)
    threads = [make_thread() for _ in range(30)]
    posts = [(f"/threads/{thread.id}/messages/", {"text": "Hello"}) for thread in threads]
    with ThreadPoolExecutor(4) as readers:
        looks = [readers.submit(look, client, thread) for thread in threads for _ in range(2)]
        assert statuses(press(threads[0], *posts)) == {200: 30}
        assert {look.result() for look in looks} == {200}
    for thread in threads:
        ended(thread)
    assert [said(thread.session_id) for thread in threads] == [["Hello", "Fine, thank you."]] * 30
    assert "locked" not in caplog.text


def look(client: Client, thread: Thread) -> int:
    try:
        return int(client.get(f"/threads/{thread.id}/").status_code)
    finally:
        connections.close_all()


def test_rename_is_one_of_the_names(script, thread, press):
    answers = press(thread, *[("rename/", {"title": f"Name {n}"}) for n in range(TIMES)])
    assert statuses(answers) == {200: TIMES}
    thread.refresh_from_db()
    assert (thread.title.split()[0], thread.title_source) == ("Name", "user")


@pytest.mark.parametrize("seed", range(2))
def test_every_button_at_once_leaves_a_whole_history(script, client, thread, press, add_run, seed):
    script(*[FINE] * 200)
    chance = random.Random(seed)
    run_id = add_run(ask("Tell me"), AssistantTextEntry("No."))
    buttons = [
        *[("messages/", {"text": "More"})] * 8,
        *[("stop/", {})] * 8,
        *[("edit/", {"ref": f"{run_id}:0", "text": "Tell me all"})] * 4,
        *[("regenerate/", {})] * 4,
        *[("recover/", {"action": action}) for action in ("resume", "keep", "discard")],
        *[("rename/", {"title": "Name"})] * 2,
        *[("queue/", {"action": "go_on"})] * 4,
    ]
    for _ in range(2):
        answers = press(thread, *chance.sample(buttons, len(buttons)))
        assert set(statuses(answers)) <= {200, 409}
    client.post(f"/threads/{thread.id}/stop/", **DATA)
    ended(thread)
    assert checkpoints.in_flight(thread.session_id) is None
    assert [pending_tool_calls(segment.entries) for segment in segments(thread)] == [[]] * len(
        segments(thread)
    )
    assert client.get(f"/threads/{thread.id}/").status_code == 200
