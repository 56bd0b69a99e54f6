"""Edit, regenerate, copy."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.chat import Chat, words
from tests.process.person import Person

OpenChat = Callable[..., Chat]


def test_an_edited_message_takes_the_place_of_all_that_followed(chat: Chat) -> None:
    chat.begin("say 2").wait_until_idle()
    chat.write("say 3")
    expect(chat.turns).to_have_count(2)
    chat.wait_until_idle()
    editor = chat.edit(chat.turns.first)
    expect(editor).to_have_value("say 2")
    editor.fill("say 9")
    chat.page.get_by_role("button", name="Send again").click()
    expect(chat.turns).to_have_count(1)
    chat.wait_until_idle()
    assert (chat.messages, chat.answer) == (["say 9"], words(9))
    assert chat.reload().messages == ["say 9"]


def test_the_arrow_key_opens_the_last_message_and_escape_closes_it(chat: Chat) -> None:
    chat.begin("say 2").wait_until_idle()
    chat.box.press("ArrowUp")
    expect(chat.page.get_by_label("Edit your message")).to_be_focused()
    chat.page.keyboard.press("Escape")
    expect(chat.page.get_by_label("Edit your message")).to_have_count(0)
    expect(chat.last.locator(".message [data-action=edit]")).to_be_focused()


def test_a_refused_edit_keeps_what_was_typed(chat: Chat, person: Person) -> None:
    chat.page.route_web_socket("**/ws/threads/**", lambda socket: None)  # no news reaches this page
    chat.open(person.new_thread("say 2"))
    chat.page.wait_for_timeout(500)
    chat.reload().wait_until_idle()
    ref = chat.last.locator(".message").get_attribute("data-ref") or ""
    editor = chat.edit(chat.last)
    editor.fill("say 9 words")
    person.post(f"/threads/{chat.thread}/edit/", ref=ref, text="say 4")
    chat.page.keyboard.press("Enter")
    expect(chat.last.locator("[data-error]")).to_contain_text("This chat has changed since.")
    expect(editor).to_have_value("say 9 words")


def test_an_open_editor_survives_changes_elsewhere(chat: Chat, person: Person) -> None:
    chat.begin("say 2").wait_until_idle()
    chat.write("say 3")
    expect(chat.turns).to_have_count(2)
    chat.wait_until_idle()
    editor = chat.edit(chat.turns.first)
    editor.fill("half typed")
    ref = chat.last.locator(".message").get_attribute("data-ref") or ""
    person.post(f"/threads/{chat.thread}/edit/", ref=ref, text="say 5")
    expect(chat.last.locator(".message-text")).to_have_text("say 5")
    chat.wait_until_idle()
    expect(editor).to_have_value("half typed")
    expect(editor).to_be_focused()


def test_text_typed_over_a_message_that_is_gone_comes_into_the_box(chat: Chat, person: Person) -> None:
    chat.begin("say 2").wait_until_idle()
    ref = chat.last.locator(".message").get_attribute("data-ref") or ""
    chat.edit(chat.last).fill("half typed")
    person.post(f"/threads/{chat.thread}/edit/", ref=ref, text="say 5")
    expect(chat.box).to_have_value("half typed")


def test_regenerate_writes_the_last_answer_anew(chat: Chat) -> None:
    chat.begin("say 30 @60").wait_until_idle()
    before = chat.last.get_attribute("id")
    chat.page.get_by_role("button", name="Regenerate answer").click()
    expect(chat.last).not_to_have_id(before or "")
    chat.wait_until_idle()
    assert (chat.messages, chat.answer) == (["say 30 @60"], words(30))


def test_copy_takes_the_markdown_also_without_a_clipboard(chat: Chat) -> None:
    chat.begin("text Some *words* here").wait_until_idle()
    chat.measure(
        "() => { Object.defineProperty(navigator, 'clipboard', {value: undefined});"
        " document.addEventListener('copy', () => window.copied = document.activeElement.value); }"
    )
    chat.page.get_by_role("button", name="Copy answer").click()
    assert chat.measure("window.copied") == "Some *words* here"
    expect(chat.page.locator("#status")).to_have_text("Copied")


def test_the_arrow_key_opens_the_message_whose_answer_is_being_written(chat: Chat) -> None:
    chat.begin("say 1").wait_until_idle()
    chat.write("say 200 @20")
    expect(chat.turns).to_have_count(2)
    chat.wait_for_words(1)
    chat.box.press("ArrowUp")
    expect(chat.last.get_by_label("Edit your message")).to_have_value("say 200 @20")
