"""Keys in the box: Enter sends, but never while an input method composes."""

from __future__ import annotations

from playwright.sync_api import CDPSession, expect

from tests.browser.chat import Chat


def compose(keys: CDPSession, text: str) -> None:
    """Types with an input method, up to the Enter that takes the word."""
    keys.send(
        "Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)}
    )
    enter = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 229}
    keys.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **enter})
    keys.send("Input.insertText", {"text": text})
    keys.send("Input.dispatchKeyEvent", {"type": "keyUp", **enter})


def test_the_enter_of_an_input_method_never_sends(chat: Chat) -> None:
    chat.begin("say 1").wait_until_idle()
    chat.box.focus()
    compose(chat.page.context.new_cdp_session(chat.page), "東京")
    expect(chat.box).to_have_value("東京")
    chat.page.wait_for_timeout(300)
    assert chat.messages == ["say 1"]
    chat.box.press("Enter")
    expect(chat.turns).to_have_count(2)
    chat.wait_until_idle()
    assert chat.messages == ["say 1", "東京"]


def test_nor_in_the_editor_of_a_message(chat: Chat) -> None:
    chat.begin("say 1").wait_until_idle()
    editor = chat.edit(chat.last)
    editor.fill("")
    compose(chat.page.context.new_cdp_session(chat.page), "東京")
    expect(editor).to_have_value("東京")
    chat.page.wait_for_timeout(300)
    expect(editor).to_be_visible()


def test_shift_enter_makes_a_new_line(chat: Chat) -> None:
    chat.begin("say 1").wait_until_idle()
    chat.box.fill("one")
    chat.box.press("Shift+Enter")
    chat.box.press_sequentially("two")
    expect(chat.box).to_have_value("one\ntwo")
