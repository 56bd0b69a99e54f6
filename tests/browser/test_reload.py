"""Reload, reconnect, other tabs: no word is lost, none is there twice."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser.chat import SECONDS, Chat, words
from tests.fakes.model_server import ModelServer
from tests.fakes.steps import call, say
from tests.process.person import Person

OpenChat = Callable[..., Chat]


def test_a_reload_shows_all_of_the_text_so_far_at_once(chat: Chat) -> None:
    chat.begin("say 150 @50")
    chat.wait_for_words(40)
    chat.page.reload(wait_until="commit")
    chat.page.wait_for_selector(".part-text")
    assert chat.heard >= 40
    chat.wait_until_idle()
    assert chat.answer == words(150)


def test_a_reload_in_a_list_goes_on_in_it(chat: Chat) -> None:
    chat.begin("markdown 120 @40")
    expect(chat.last.locator("li").nth(1)).to_be_visible()
    chat.reload()
    chat.wait_until_idle()
    shown = chat.answer
    assert chat.reload().answer == shown
    assert shown.count("second item with code") == shown.count("first item") == 2


def test_two_tabs_show_the_same(chat: Chat, open_chat: OpenChat, person: Person) -> None:
    chat.begin("say 100 @50")
    chat.wait_for_words(20)
    other = open_chat(person, chat.thread)
    assert other.heard >= 20
    for tab in (chat, other):
        tab.wait_until_idle()
        assert tab.answer == words(100)
    other.write("say 7")
    for tab in (chat, other):
        expect(tab.turns).to_have_count(2)
        tab.wait_until_idle()
        assert (tab.messages[-1], tab.answer) == ("say 7", words(7))


def test_stop_works_in_another_tab(chat: Chat, open_chat: OpenChat, person: Person) -> None:
    chat.begin("say 400 @50")
    chat.wait_for_words(5)
    open_chat(person, chat.thread).stop()
    chat.wait_until_idle()
    expect(chat.last.locator(".state")).to_contain_text("Stopped by you.")


def test_switching_between_chats_mixes_nothing(chat: Chat, person: Person) -> None:
    other = person.new_thread("say 3")
    chat.begin("say 200 @50")
    chat.wait_for_words(10)
    first = chat.thread
    chat.open(other).wait_until_idle()
    assert (chat.messages, chat.answer) == (["say 3"], words(3))
    chat.open(first)
    assert chat.heard >= 10
    chat.wait_until_idle()
    assert chat.answer == words(200)


def test_a_lost_connection_loses_no_word(chat: Chat) -> None:
    sockets = watch_sockets(chat.page)
    chat.begin("say 200 @50")
    for opened, count in ((1, 20), (2, 60)):
        chat.wait_for_words(count)
        sockets[-1].close(code=1006 + 5)
        wait_for_another(chat.page, sockets, opened)
    chat.wait_until_idle()
    assert chat.answer == words(200)


def wait_for_another(page: Page, sockets: list[WebSocketRoute], opened: int) -> None:
    for _ in range(400):
        if len(sockets) == opened:
            page.wait_for_timeout(50)
    assert len(sockets) == opened + 1


def watch_sockets(page: Page) -> list[WebSocketRoute]:
    """The sockets of threads that the page opens, each connected to the server."""
    sockets: list[WebSocketRoute] = []

    def opened(socket: WebSocketRoute) -> None:
        socket.connect_to_server()
        sockets.append(socket)

    page.route_web_socket("**/ws/threads/**", opened)
    return sockets


def test_a_deleted_chat_says_so_and_stays_readable(chat: Chat, person: Person) -> None:
    chat.begin("say 200 @50")
    chat.wait_for_words(10)
    person.post(f"/threads/{chat.thread}/delete/")
    expect(chat.page.locator("#composer-note")).to_contain_text("This chat was deleted in another window.")
    assert chat.heard >= 10
    assert chat.last.locator("[data-state=live]").count() == 0


def test_the_message_of_a_very_long_answer_can_be_reached_when_it_ends(
    chat: Chat, model_server: ModelServer
) -> None:
    calls = [call("lookup", {"word": f"w{number}"}) for number in range(220)]
    model_server.script(turns=[[say(20, rate=20), *calls], [say(3)]], match="look up")
    chat.begin("look up a lot")
    expect(chat.last.locator(".message-text")).to_have_text("look up a lot")
    chat.wait_until_idle()
    message = chat.turns.locator(".message-text")
    for _ in range(5):
        chat.page.evaluate("document.querySelector('#conversation').scrollTop = 0")
        if message.count():
            break
        chat.page.wait_for_timeout(500)
    expect(message).to_have_text("look up a lot", timeout=SECONDS)
    expect(chat.page.locator("#older")).to_have_count(0)


def test_after_signing_in_again_in_another_tab_the_page_follows_again(
    chat: Chat, open_chat: OpenChat, person: Person
) -> None:
    chat.begin("say 1")
    chat.wait_until_idle()
    person.post("/accounts/logout/")
    note = chat.page.locator("#composer-note")
    expect(note).to_contain_text("signed out")
    open_chat(person.sign_in())
    chat.page.bring_to_front()
    chat.page.evaluate("window.dispatchEvent(new Event('focus'))")
    expect(note).not_to_contain_text("signed out")
    person.send(chat.thread, "say 3")
    expect(chat.turns).to_have_count(2)
    assert chat.wait_until_idle().answer == words(3)


def test_the_list_of_chats_is_drawn_anew_around_the_focus(chat: Chat, person: Person) -> None:
    chat.begin("say 1")
    chat.wait_until_idle()
    menu = chat.page.locator(f"#chats .row:has(a[data-thread='{chat.thread}']) .row-menu")
    chat.page.mouse.move(900, 400)
    menu.focus()
    person.new_thread("say 1")
    expect(chat.page.locator("#chats .row")).to_have_count(2)
    expect(menu).to_be_focused()
