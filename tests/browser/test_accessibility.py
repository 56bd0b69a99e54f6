"""axe finds nothing, in light and dark; nothing is wider than a narrow screen."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.chat import Chat
from tests.fakes.model_server import ModelServer
from tests.fakes.steps import Text

SIDEWAYS = """() => [document.documentElement, document.querySelector('#conversation')]
    .map((element) => element.scrollWidth - element.clientWidth)"""


def problems(chat: Chat) -> list[str]:
    found = Axe().run(chat.page).response["violations"]
    return [f"{one['id']}: {node['html'][:200]}" for one in found for node in one["nodes"]]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_in_a_conversation(chat: Chat, theme: str) -> None:
    chat.page.emulate_media(color_scheme=theme)
    assert problems(chat) == []
    chat.begin('think 5 | tool lookup {"word": "ink"} | then markdown 80').wait_until_idle()
    chat.last.locator(".step summary").click()
    assert problems(chat) == []
    chat.edit(chat.last)
    assert problems(chat) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_while_an_answer_is_written(chat: Chat, theme: str) -> None:
    chat.page.emulate_media(color_scheme=theme)
    chat.begin("markdown 400 @40")
    expect(chat.last.locator("li").first).to_be_visible()
    assert problems(chat) == []
    chat.stop()
    chat.wait_until_idle()
    assert problems(chat) == []


def test_axe_finds_nothing_where_two_tables_have_the_same_head(chat: Chat, model_server: ModelServer) -> None:
    table = "| name | value |\n|---|---|\n| a | 1 |\n\n"
    model_server.script(turns=[[Text((table, "Once more:\n\n", table))]], match="two tables")
    chat.begin("two tables").wait_until_idle()
    expect(chat.last.locator("table")).to_have_count(2)
    assert problems(chat) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_where_an_answer_broke_off(chat: Chat, theme: str) -> None:
    chat.page.emulate_media(color_scheme=theme)
    chat.begin("error 400 no such thing").wait_for_status("failed")
    chat.page.get_by_text("Details").click()
    assert problems(chat) == []


@pytest.mark.parametrize("width", [320, 390])
def test_nothing_is_wider_than_a_narrow_screen(chat: Chat, width: int) -> None:
    chat.page.set_viewport_size({"width": width, "height": 640})
    chat.begin('tool lookup {"word": "' + "long" * 60 + '"} | then markdown 120').wait_until_idle()
    chat.last.locator(".step summary").click()
    assert chat.measure(SIDEWAYS) == [0, 0]


def test_the_status_region_tells_of_the_answer(chat: Chat) -> None:
    chat.begin("say 1").wait_until_idle()
    chat.write("say 60 @60")
    expect(chat.page.locator("#status")).to_have_text("Answer started.")
    chat.wait_until_idle()
    expect(chat.page.locator("#status")).to_have_text("Answer finished.")
