"""What works without scripts: older turns, long results, a discarded message."""

import re

import pytest

from agents.transcript import AssistantTextEntry, ToolCallEntry, ToolResultEntry
from chatapp.history import records
from chatapp.models import Thread
from tests.chatapp.conftest import DATA, PAGE, ask

pytestmark = pytest.mark.django_db(transaction=True)


def test_older_turns_are_a_page_of_their_own(client, thread, add_run):
    for number in range(records.PAGE):
        add_run(ask(f"Question {number}"), AssistantTextEntry("Yes."))
    newest = client.get(f"/threads/{thread.id}/").content.decode()
    found = re.search(r'id="older" href="([^"]+)"', newest)
    assert found
    page = client.get(found.group(1), **PAGE).content.decode()
    assert "Question 0" in page
    assert "<html" in page
    assert f'href="/threads/{thread.id}/"' in page
    piece = client.get(found.group(1), headers={"hx-request": "true"}).content.decode()
    assert "Question 0" in piece
    assert "<html" not in piece


def test_a_result_that_is_too_large_for_the_page_is_there_in_full(client, thread, add_run):
    output = "<b>x</b>\n" * 5_000
    run = add_run(ask(), ToolCallEntry("c1", "lookup", '{"word": "x"}'), ToolResultEntry("c1", output))
    page = client.get(f"/threads/{thread.id}/").content.decode()
    found = re.search(rf'href="(/threads/{thread.id}/steps/{run}/[^"]+)"', page)
    assert found
    answer = client.get(found.group(1).replace("&amp;", "&"))
    assert (answer["Content-Type"], answer.content.decode()) == ("text/plain; charset=utf-8", output)
    arguments = client.get(f"/threads/{thread.id}/steps/{run}/?call=1&of=arguments")
    assert arguments.content == b'{"word": "x"}'


def test_an_early_step_of_a_very_long_run_is_there_too(client, thread, add_run):
    steps = [
        entry
        for number in range(300)
        for entry in (ToolCallEntry(f"c{number}", "lookup", "{}"), ToolResultEntry(f"c{number}", str(number)))
    ]
    run = add_run(ask(), *steps)
    assert client.get(f"/threads/{thread.id}/steps/{run}/?call=7").content == b"3"


@pytest.mark.parametrize("query", ["", "?call=9", "?call=x", "?call=0"])
def test_a_step_that_is_not_there_is_404(client, thread, add_run, query):
    run = add_run(ask(), ToolCallEntry("c1", "lookup", "{}"), ToolResultEntry("c1", "x"))
    assert client.get(f"/threads/{thread.id}/steps/{run}/{query}", **DATA).status_code == 404


def test_a_strangers_step_is_not_there(strangers, thread, add_run):
    run = add_run(ask(), ToolCallEntry("c1", "lookup", "{}"), ToolResultEntry("c1", "x"))
    assert strangers.get(f"/threads/{thread.id}/steps/{run}/?call=1", **DATA).status_code == 404


def discard(client, thread: Thread, **kind):
    return client.post(f"/threads/{thread.id}/recover/", {"action": "discard"}, **kind)


def test_a_discarded_message_comes_back_into_the_box(client, thread, add_flight):
    add_flight(ask("Say <this>"))
    assert discard(client, thread, **PAGE).status_code == 303
    assert ">Say &lt;this&gt;</textarea>" in client.get(f"/threads/{thread.id}/").content.decode()
    assert "Say &lt;this&gt;" not in client.get(f"/threads/{thread.id}/").content.decode()


def test_a_script_puts_it_back_itself(client, thread, add_flight):
    add_flight(ask("Say this"))
    assert discard(client, thread, **DATA).json()["text"] == "Say this"
    assert "Say this" not in client.get(f"/threads/{thread.id}/").content.decode()
