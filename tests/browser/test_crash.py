"""The server is killed, or told to stop, while an answer is being written."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.chat import Chat, words
from tests.process.person import Person
from tests.process.server import Server

OpenChat = Callable[..., Chat]


@pytest.fixture
def broken(server: Server, open_chat: OpenChat) -> Chat:
    """A chat whose answer was interrupted by a crash; nobody has touched the page."""
    chat = open_chat(Person(server, "reader").sign_up()).begin("say 1").wait_until_idle()
    chat.write("say 200 @50")
    chat.wait_for_words(30)
    server.restart_after_kill()
    return chat.wait_for_status("interrupted")


def test_what_was_there_stays_and_resume_writes_the_rest(broken: Chat) -> None:
    expect(broken.last.locator(".panel")).to_contain_text("This answer was interrupted")
    assert broken.heard >= 30
    broken.page.get_by_role("button", name="Resume").click()
    broken.wait_until_idle()
    assert broken.answer == words(200)
    assert broken.messages == ["say 1", "say 200 @50"]


def test_keep_makes_it_part_of_the_chat(broken: Chat) -> None:
    kept = broken.heard
    broken.page.get_by_role("button", name="Keep what is here").click()
    broken.wait_until_idle()
    expect(broken.last.locator(".state")).to_contain_text("What was there is kept.")
    assert broken.heard == kept


def test_discard_asks_and_gives_the_message_back_above_the_draft(broken: Chat) -> None:
    broken.box.fill("a draft")
    broken.page.get_by_text("Discard the answer").click()
    broken.page.get_by_role("button", name="Cancel").click()
    assert broken.turns.count() == 2
    broken.page.get_by_text("Discard the answer").click()
    broken.page.get_by_role("button", name="Discard", exact=True).click()
    expect(broken.turns).to_have_count(1)
    expect(broken.box).to_have_value("say 200 @50\n\na draft")
    broken.wait_until_idle()


def test_a_new_message_keeps_what_is_here(broken: Chat) -> None:
    broken.write("say 4")
    expect(broken.turns).to_have_count(3)
    broken.wait_until_idle()
    assert broken.answer == words(4)
    expect(broken.turns.nth(1).locator(".state")).to_contain_text("What was there is kept.")
    assert broken.turns.nth(1).get_by_role("button", name="Resume").count() == 0


COUNT_PANELS = """() => {
  window.panels = 0;
  const count = () => { window.panels += document.querySelectorAll(".panel").length; };
  new MutationObserver(count).observe(document.body, { childList: true, subtree: true });
}"""


def test_a_deploy_needs_no_hand_and_offers_none(server: Server, open_chat: OpenChat) -> None:
    chat = open_chat(Person(server, "reader").sign_up()).begin("say 200 @40")
    chat.wait_for_words(20)
    chat.page.evaluate(COUNT_PANELS)
    server.terminate()
    server.start()
    chat.wait_until_idle()
    assert chat.answer == words(200)
    assert chat.page.evaluate("window.panels") == 0
