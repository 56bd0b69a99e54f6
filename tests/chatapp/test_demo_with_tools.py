"""The demo assistant as a newcomer meets it: its sentences, the loop, and the real tools."""

from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
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

    async def say(self, text: str) -> str:
        result = await Runner.run(demo(), text, session=self.session, session_id="chat", deps=self.deps)
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


async def test_every_example_of_the_empty_page_uses_its_tool(newcomer: Newcomer) -> None:
    with translation.override("en"):
        answers = [await newcomer.say(example.text) for example in examples(demo())]
    assert "Tokyo is **14 hours** ahead of Lima." in answers[0]
    assert "**2,914**" in answers[1]
    assert "Kept as note" in answers[2]
    assert "**5 of 5 steps**" in answers[3]


async def test_notes_in_two_languages(newcomer: Newcomer) -> None:
    await newcomer.say("Keep a note: the alarm code changes on Friday")
    await newcomer.say("记一条笔记：警报密码周五更换")
    assert "**2 notes**" in await newcomer.say("show my notes")
    assert "> 警报密码周五更换" in await newcomer.say("在笔记里找警报")
    assert "> the alarm code changes on Friday" in await newcomer.say("When does our alarm code change?")
    assert "已删除：~~警报密码周五更换~~" in await newcomer.say("删除关于警报的笔记")
    assert "is deleted: ~~the alarm code" in await newcomer.say("delete the note about the alarm")
    assert not await Note.objects.aexists()


async def test_the_search_links_to_what_it_found(newcomer: Newcomer, user: User) -> None:
    thread = await Thread.objects.acreate(owner=user, title="Rent [2026]")
    await sync_to_async(append_segment)(thread.session_id, [InputEntry("user", "the rent of the *shop*")])
    answer = await newcomer.say("Search my chats for rent")
    assert rf"[Rent \[2026\]](/threads/{thread.pk}/)" in answer
    assert r"> You: the rent of the \*shop\*" in answer
    assert "Nothing in your other chats" in await newcomer.say("Search my chats for bananas")


async def test_the_longer_task_keeps_its_result(newcomer: Newcomer) -> None:
    await newcomer.say(
        "Read the price lists of our five suppliers. Who is cheapest? Put the result in my notes."
    )
    assert "Dorn & Söhne" in (await Note.objects.aget()).text
