"""Send, watch the answer come, stop it."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.chat import Chat, words

TOPS = """() => [...document.querySelectorAll('#conversation, .turn:last-child .message')]
    .map((element) => element.getBoundingClientRect().top)"""


def test_an_answer_streams_word_by_word(chat: Chat) -> None:
    chat.begin("say 150 @50")
    chat.wait_for_words(5)
    assert 5 <= chat.heard < 150
    chat.wait_until_idle()
    assert chat.answer == words(150)
    assert chat.messages == ["say 150 @50"]


def test_a_message_stands_in_its_place_at_once_and_only_once(chat: Chat) -> None:
    chat.begin("say 1").wait_until_idle()
    with chat.page.expect_response("**/messages/"):
        chat.write("say 30 @60")
        assert chat.messages == ["say 1", "say 30 @60"]
    chat.wait_for_words(3)
    assert chat.messages == ["say 1", "say 30 @60"]
    chat.wait_until_idle()
    assert chat.messages == ["say 1", "say 30 @60"]
    assert chat.answer == words(30)


def test_a_message_rises_to_the_bar_and_the_answer_grows_below(chat: Chat) -> None:
    chat.begin("say 400").wait_until_idle()
    chat.write("say 60 @60")
    chat.wait_for_words(5)
    bar, message = chat.measure(TOPS)
    assert 0 < message - bar < 24
    chat.wait_until_idle()
    assert chat.measure(TOPS) == [bar, message]


def test_markdown_is_shaped_while_it_is_written(chat: Chat) -> None:
    chat.begin("text # Title\n\n- one\n- two\n\n```py\ndef add(a, b):\n    return a | hang")
    expect(chat.last.locator(".open[data-kind=pre]")).to_have_text("def add(a, b):\n    return a")
    assert chat.last.locator("h3, li").all_inner_texts() == ["Title", "one", "two"]
    chat.stop()
    chat.wait_until_idle()
    assert chat.last.locator(".open").count() == 0
    assert chat.last.locator(".code pre .k").all_inner_texts() == ["def", "return"]


def test_stop_keeps_exactly_what_was_there(chat: Chat) -> None:
    chat.begin("say 400 @50")
    chat.wait_for_words(10)
    seen = chat.heard
    chat.stop()
    chat.wait_until_idle()
    expect(chat.last.locator(".state")).to_contain_text("Stopped by you.")
    kept = chat.heard
    assert seen <= kept < 400
    assert chat.reload().heard == kept


def test_escape_stops_too(chat: Chat) -> None:
    chat.begin("say 400 @50")
    chat.wait_for_words(3)
    chat.page.keyboard.press("Escape")
    chat.wait_until_idle()
    expect(chat.last.locator(".state")).to_contain_text("Stopped by you.")


def test_waiting_for_the_model_is_said(chat: Chat) -> None:
    chat.begin("hang 2 | say 3")
    expect(chat.last.locator(".part-waiting")).to_have_text("Thinking")
    chat.wait_until_idle()
    assert chat.last.locator(".part-waiting").count() == 0


def test_thoughts_and_steps_come_as_rows_and_what_is_opened_stays_open(chat: Chat) -> None:
    chat.begin('think 20 @40 | tool lookup {"word": "ink"} | then say 60 @40')
    step = chat.last.locator(".step")
    expect(step).to_contain_text("ink: found")
    step.locator("summary").click()
    expect(chat.last.locator(".part-reasoning summary")).to_contain_text("Thought")
    chat.wait_until_idle()
    expect(step.locator(".step-card")).to_be_visible()
    assert chat.answer == words(60)


def test_steps_do_not_fold_before_the_readers_eyes(chat: Chat) -> None:
    call = 'tool lookup {"word": "ink"}'
    chat.begin(f"{call} | {call} | {call} | then say 60 @40")
    chat.wait_for_words(3)
    chat.wait_until_idle()
    expect(chat.last.locator(".answer > .step")).to_have_count(3)
    expect(chat.reload().last.locator(".step-group")).to_contain_text("Used 3 tools")


NOTE_RETRY = """() => {
  const look = () => {
    const turn = document.querySelector("#turns > .turn:last-child");
    if (!turn?.textContent.includes("The model broke off. Trying again (2 of 4).")) return;
    window.shownMeanwhile ??= turn.querySelector(".part-text").textContent;
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
}"""


def test_void_text_stays_until_its_replacement_comes(chat: Chat) -> None:
    chat.begin("say 1").wait_until_idle()
    chat.page.evaluate(NOTE_RETRY)  # it may be there for a moment only
    chat.write("say 20 @60 | cut x1")
    expect(chat.turns).to_have_count(2)
    chat.wait_for_words(20)
    chat.wait_until_idle()
    assert chat.page.evaluate("window.shownMeanwhile").split() == words(20).split()
    assert chat.answer == words(20)
    expect(chat.last).not_to_contain_text("Trying again")


def test_a_failed_answer_says_why_and_can_be_tried_again(chat: Chat) -> None:
    chat.begin("error 400 x1 no such thing | say 5")
    chat.wait_for_status("failed")
    expect(chat.last.locator(".panel")).to_contain_text("The answer broke off.")
    chat.page.get_by_role("button", name="Retry").click()
    chat.wait_until_idle()
    assert chat.answer == words(5)
    assert chat.turns.count() == 1
