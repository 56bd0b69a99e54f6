"""Where the page stands while an answer grows, and when older turns come."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.chat import Chat
from tests.process.person import Person

TOP = "() => Math.round(document.querySelector('#conversation').scrollTop)"
MISSING = """() => {
    const { scrollHeight, clientHeight, scrollTop } = document.querySelector('#conversation');
    return scrollHeight - clientHeight - scrollTop;
}"""


@pytest.fixture
def tall(chat: Chat) -> Chat:
    """A long answer is being written, and has reached the lower edge."""
    chat.begin("say 200").wait_until_idle()
    chat.write("say 4000 @250")
    chat.wait_for_words(700)
    return chat


def test_the_end_is_followed(tall: Chat) -> None:
    before = tall.measure(TOP)
    tall.wait_for_words(900)
    assert tall.measure(TOP) > before
    assert tall.measure(MISSING) < 40


def test_who_scrolls_up_stays_there_until_they_come_back(tall: Chat) -> None:
    tall.conversation.hover()
    tall.page.mouse.wheel(0, -100)
    tall.page.wait_for_timeout(100)
    before = tall.measure(TOP)
    tall.wait_for_words(1100)
    assert tall.measure(TOP) == before
    tall.page.get_by_role("button", name="Jump to latest").click()
    tall.wait_for_words(1300)
    assert tall.measure(MISSING) < 40
    expect(tall.page.locator("#jump")).to_be_hidden()


def test_a_selection_holds_the_page(tall: Chat) -> None:
    tall.measure(
        "() => getSelection().selectAllChildren(document.querySelector('.turn:last-child .message-text'))"
    )
    tall.page.wait_for_timeout(100)
    before = tall.measure(TOP)
    tall.wait_for_words(1000)
    assert tall.measure(TOP) == before


def test_an_answer_that_comes_all_at_once_is_followed(chat: Chat) -> None:
    chat.page.emulate_media(reduced_motion="no-preference")
    chat.begin("say 300").wait_until_idle()
    chat.write("say 2000")
    chat.wait_for_words(2000)
    chat.wait_until_idle()
    chat.page.wait_for_timeout(1200)
    assert chat.measure(MISSING) < 40


def test_a_chat_opens_at_its_end(chat: Chat) -> None:
    chat.begin("say 2000").wait_until_idle()
    assert chat.reload().measure(MISSING) < 40


def test_older_turns_come_on_demand_and_nothing_moves(chat: Chat, person: Person) -> None:
    thread = person.new_thread("message 0")
    for number in range(1, 30):
        person.post(f"/threads/{thread}/messages/", text=f"message {number}")
    person.wait(thread, lambda exported: len(exported["segments"]) == 30, within=60)
    chat.open(thread)
    assert chat.messages[0] != "message 0"
    first = chat.page.get_by_text(chat.messages[0], exact=True).first
    chat.measure("() => document.querySelector('#conversation').scrollTo(0, 500)")
    before = top_of(first)
    expect(chat.page.get_by_role("link", name="Earlier messages")).to_have_count(0)
    assert chat.messages == [f"message {number}" for number in range(30)]
    assert top_of(first) == pytest.approx(before, abs=1)


def top_of(element: Locator) -> float:
    box = element.bounding_box()
    assert box is not None
    return box["y"]
