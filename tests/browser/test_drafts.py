"""What is typed and not sent: kept, in this chat and in no other, and sent once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.chat import Chat
from tests.process.person import Person

OpenChat = Callable[..., Chat]
DRAFTS = "() => Object.keys(localStorage).filter((key) => key.startsWith('draft:'))"


def type_in(chat: Chat, text: str) -> None:
    """Until it is stored."""
    chat.box.fill(text)
    chat.page.wait_for_function(f"() => ({DRAFTS})().length === 1")


def test_a_draft_is_kept_also_where_older_ones_fill_the_store(chat: Chat) -> None:
    chat.page.evaluate("""() => {
        for (let size = 2 ** 23; size >= 1; size /= 2) {
            try {
                for (let n = 0; n < 9; n++) localStorage.setItem(`draft:0:${size}-${n}`, "x".repeat(size));
            } catch {}
        }
    }""")
    chat.box.fill("What I have typed. " * 500)
    chat.page.wait_for_timeout(1_000)
    chat.reload()
    expect(chat.box).to_have_value("What I have typed. " * 500)


@pytest.mark.parametrize("is_open", [True, False])
def test_the_draft_of_a_deleted_chat_goes_with_it(chat: Chat, is_open: bool) -> None:
    chat.begin("say 3")
    chat.wait_until_idle()
    type_in(chat, "never sent")
    if not is_open:
        chat.open()
    chat.delete(in_list=not is_open)
    chat.page.wait_for_url(lambda url: "/threads/" not in url)
    expect(chat.page.locator("#chats .row")).to_have_count(0)
    assert chat.page.evaluate(DRAFTS) == []


def test_text_typed_in_a_chat_that_is_deleted_elsewhere_waits_on_the_empty_page(
    chat: Chat, person: Person
) -> None:
    chat.begin("say 1")
    chat.wait_until_idle()
    type_in(chat, "never sent")
    person.post(f"/threads/{chat.thread}/delete/")
    expect(chat.page.locator("#composer-note")).to_contain_text("This chat was deleted in another window.")
    for more in (", still not", ", never"):
        chat.box.press_sequentially(more)
        chat.page.wait_for_function(
            f"() => Object.values(localStorage).some((kept) => kept.includes('{more}'))"
        )
    expect(chat.open().box).to_have_value("never sent, still not, never")


def test_an_untouched_tab_leaves_the_draft_of_another_one_alone(
    chat: Chat, open_chat: OpenChat, person: Person
) -> None:
    other = open_chat(person)
    type_in(chat, "kept")
    chat.page.close()
    expect(other.reload().box).to_have_value("kept")


def test_a_draft_that_another_tab_has_sent_is_gone_here_too(
    chat: Chat, open_chat: OpenChat, person: Person
) -> None:
    type_in(chat, "say 1")
    other = open_chat(person)
    expect(other.box).to_have_value("say 1")
    chat.box.press("Enter")
    chat.page.wait_for_url("**/threads/**")
    expect(other.box).to_have_value("")
    expect(other.reload().box).to_have_value("")
