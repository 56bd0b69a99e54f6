"""Another user's thread is not there: at every address and socket, of which none can be forgotten here."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from agents.transcript import AssistantTextEntry, ToolCallEntry, ToolResultEntry
from chatapp.eventlog import hub, publish
from chatapp.eventlog.hub import Delivery, user_topic
from chatapp.export import thread_as_json
from chatapp.lifecycle.queue import enqueue
from chatapp.routing import websocket_urlpatterns
from tests.chatapp.conftest import DATA, PAGE, ask
from tests.chatapp.watching import connected, in_thread

SECRET = "my-doctor-said-so"
FIELDS = {"text": "x", "title": "x", "decision": "approve"}
ACTIONS = ("resume", "keep", "discard", "go_on", "withdraw")
NOT_OURS = ("admin/", "accounts/")  # theirs is Django's admin (operators) and allauth (oneself)
WITHOUT_THREAD = {"livez", "readyz", "language/", "", "threads/", "sidebar/"}


def routes(patterns: Any, before: str = "") -> Iterator[str]:
    """Every address of the project, as it is written in the URL patterns."""
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern) and not route.startswith(NOT_OURS):
            yield route


ALL = sorted(set(routes(get_resolver().url_patterns)))
OF_A_THREAD = [route for route in ALL if "<uuid:thread_id>" in route]


@pytest.fixture
def private(thread, add_run, add_flight) -> dict[str, str]:
    """A thread with something to see and to do, and what stands for the parameters of an address."""
    thread.title = SECRET
    thread.save()
    steps = (ToolCallEntry("c1", "lookup", "{}"), ToolResultEntry("c1", SECRET))
    run_id = add_run(ask(SECRET), *steps, AssistantTextEntry(SECRET))
    add_flight(ask(SECRET))
    waiting = enqueue(thread, SECRET)
    return {"thread_id": str(thread.id), "run_id": run_id, "message_id": str(waiting.id)}


def address(route: str, values: dict[str, str]) -> str:
    """KeyError for a parameter that this test does not know yet: say what stands for it in `private`."""
    parts = route.replace("<", "\0").replace(">", "\0").split("\0")
    return "/" + "".join(values[part.rpartition(":")[2]] if at % 2 else part for at, part in enumerate(parts))


def asked(browser: Any, path: str, how: Any, ref: str) -> list[Any]:
    """Every method, with fields that would do something."""
    posts = [browser.post(path, FIELDS | {"ref": ref, "action": action}, **how) for action in ("", *ACTIONS)]
    gets = [browser.get(path, {"call": "1"}, **how), browser.head(path, **how), browser.options(path, **how)]
    return [*gets, *posts, browser.put(path, **how), browser.delete(path, **how), browser.patch(path, **how)]


def test_every_address_is_known_here():
    assert {route for route in ALL if route not in OF_A_THREAD} == WITHOUT_THREAD
    assert len(OF_A_THREAD) >= 16


@pytest.mark.django_db
def test_a_strangers_thread_is_not_there(strangers, thread, private):
    before, elsewhere = thread_as_json(thread), private | {"thread_id": str(uuid4())}
    ref = f"{private['run_id']}:0"
    for route in OF_A_THREAD:
        path = address(route, private)
        for how in (DATA, PAGE):
            answers = asked(strangers, path, how, ref)
            assert {answer.status_code for answer in answers} | {404} == {404, 405}, route
            assert not [answer for answer in answers if SECRET in answer.content.decode()], route
        absent = asked(strangers, address(route, elsewhere), DATA, ref)
        assert [a.content for a in absent] == [a.content for a in asked(strangers, path, DATA, ref)], route
    assert thread_as_json(thread) == before


@pytest.mark.django_db
def test_without_login_it_is_not_there_either(anonymous, thread, private):
    before = thread_as_json(thread)
    for route in OF_A_THREAD:
        answers = asked(anonymous, address(route, private), DATA, f"{private['run_id']}:0")
        assert {answer.status_code for answer in answers} == {401}, route
    assert thread_as_json(thread) == before


def test_to_its_owner_all_of_it_is_there(script, client, private):
    """Else the tests above would ask for nothing. Deletion comes last, and before it what changes runs."""
    ref, late = f"{private['run_id']}:0", ("recover/", "edit/", "delete/")
    for route in sorted(OF_A_THREAD, key=lambda route: [route.endswith(end) for end in reversed(late)]):
        path = address(route, private)
        answers = (client.get(path, {"call": "1"}, **DATA), client.post(path, FIELDS | {"ref": ref}, **DATA))
        assert {answer.status_code for answer in answers} - {404, 405}, route


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/", "/sidebar/", "/sidebar/?thread={}", "/threads/"])
def test_addresses_without_a_thread_show_nothing_of_it(client, strangers, thread, private, path):
    path = path.format(thread.id)
    assert SECRET not in strangers.get(path).content.decode()
    assert path == "/threads/" or SECRET in client.get(path).content.decode()


async def test_sockets_tell_nothing_of_it(client, strangers, script, thread, user, stranger):
    for pattern in websocket_urlpatterns:
        path = address(str(pattern.pattern), {"thread_id": str(thread.id)})
        if "thread_id" in str(pattern.pattern):
            async with connected(strangers, path) as watcher:
                assert await watcher.code() == 4404
            continue
        async with connected(strangers, path) as watcher:
            assert (await watcher.frame())["threads"] == []
            news = {"type": "thread", "thread": str(thread.id), "state": "live"}
            await in_thread(hub.deliver, user_topic(user.pk), Delivery.of(None, [news]))
            await in_thread(publish, thread.id, None, [{"type": "history"}])
            assert await watcher.is_silent()
