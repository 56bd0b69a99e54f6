"""The demo assistant as a newcomer meets it: its sentences, the loop, and the real tools."""

from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.utils import translation

from agents import Agent, Runner
from agents.providers.demo import DemoProvider
from agents.stores import InMemorySession
from agents.stores.orm.sessions import append_segment
from agents.transcript import InputEntry
from chatapp.assistants import examples
from chatapp.assistants.builtin import builtin
from chatapp.models import Note, Thread
from chatapp.tools import Deps

pytestmark = pytest.mark.django_db(transaction=True)


class Newcomer:
    def __init__(self, user: User) -> None:
        self.deps = Deps(user_id=user.pk, thread_id=uuid4())
        self.session = InMemorySession()

    def say(self, text: str) -> str:
        result = Runner.run_sync(demo(), text, session=self.session, session_id="chat", deps=self.deps)
        return str(result.output)


def demo() -> Agent:
    agent = builtin("demo", "")
    agent.model = DemoProvider(tokens_per_second=None)
    return agent


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chatapp.tools.jobs.STEP_SECONDS", 0)


@pytest.fixture
def newcomer(user: User) -> Newcomer:
    return Newcomer(user)


def test_every_example_of_the_empty_page_uses_its_tool(newcomer: Newcomer) -> None:
    with translation.override("en"):
        answers = [newcomer.say(example.text) for example in examples(demo())]
    assert "Tokyo is **14 hours** ahead of Lima." in answers[0]
    assert "**2,914**" in answers[1]
    assert "Kept as note" in answers[2]
    assert "**5 of 5 steps**" in answers[3]


def test_notes_in_two_languages(newcomer: Newcomer) -> None:
    newcomer.say("Keep a note: the alarm code changes on Friday")
    newcomer.say("记一条笔记：警报密码周五更换")
    assert "**2 notes**" in newcomer.say("show my notes")
    assert "> 警报密码周五更换" in newcomer.say("在笔记里找警报")
    assert "> the alarm code changes on Friday" in newcomer.say("When does our alarm code change?")
    assert "已删除：~~警报密码周五更换~~" in newcomer.say("删除关于警报的笔记")
    assert "is deleted: ~~the alarm code" in newcomer.say("delete the note about the alarm")
    assert not Note.objects.exists()


def test_the_search_links_to_what_it_found(newcomer: Newcomer, user: User) -> None:
    thread = Thread.objects.create(owner=user, title="Rent [2026]")
    append_segment(thread.session_id, [InputEntry("user", "the rent of the *shop*")])
    answer = newcomer.say("Search my chats for rent")
    assert rf"[Rent \[2026\]](/threads/{thread.pk}/)" in answer
    assert r"> You: the rent of the \*shop\*" in answer
    assert "Nothing in your other chats" in newcomer.say("Search my chats for bananas")


def test_the_longer_task_keeps_its_result(newcomer: Newcomer) -> None:
    newcomer.say("Read the price lists of our five suppliers. Who is cheapest? Put the result in my notes.")
    assert "Dorn & Söhne" in Note.objects.get().text
