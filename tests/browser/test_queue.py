"""Messages that wait: what is typed over them is never lost, and nothing that comes in moves the focus."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.chat import SECONDS, Chat


@pytest.fixture
def busy(chat: Chat) -> Chat:
    """An answer that goes on for three seconds."""
    chat.begin("say 60 @20")
    chat.wait_for_words(1)
    return chat


def wait_in_line(chat: Chat, *texts: str) -> Locator:
    """Sends them while the answer is written. → their rows"""
    rows = chat.page.locator(".queue-row:not(.is-coming)")
    for count, text in enumerate(texts, start=1):
        chat.write(text)
        expect(rows).to_have_count(count)
    return rows


def edit(row: Locator, text: str) -> Locator:
    row.locator(".queue-text").click()
    field = row.locator(".queue-field")
    field.fill(text)
    return field


def test_what_is_typed_over_a_message_goes_into_the_box_when_its_turn_comes(busy: Chat) -> None:
    rows = wait_in_line(busy, "say 1")
    edit(rows.first, "say 1 and more")
    expect(rows).to_have_count(0, timeout=SECONDS)
    expect(busy.box).to_have_value("say 1 and more")


def test_a_field_keeps_text_and_focus_when_the_message_before_it_leaves(busy: Chat) -> None:
    rows = wait_in_line(busy, "say 60 @20", "say 2")
    field = edit(rows.last, "say 3")
    expect(rows).to_have_count(1, timeout=SECONDS)
    expect(field).to_be_focused()
    field.press("Enter")
    expect(field).to_have_count(0)
    expect(rows.locator(".queue-text")).to_be_focused()
    expect(rows.locator(".queue-text")).to_have_text("say 3")


def test_a_refusal_stands_at_the_message_until_the_change_is_taken(busy: Chat) -> None:
    row = wait_in_line(busy, "say 1").first
    busy.page.route("**/queue/*/", lambda route: route.abort())
    field = edit(row, "say 2")
    field.press("Enter")
    expect(row.locator(".refusal")).to_be_visible()
    expect(field).to_have_value("say 2")
    busy.page.unroute("**/queue/*/")
    field.press("Enter")
    expect(row.locator(".queue-text")).to_have_text("say 2")
    expect(row.locator(".refusal")).to_have_count(0)


def test_escape_gives_the_change_up_and_stops_nothing(busy: Chat) -> None:
    row = wait_in_line(busy, "say 1").first
    edit(row, "say 2").press("Escape")
    expect(row.locator(".queue-text")).to_have_text("say 1")
    expect(row.locator(".queue-text")).to_be_focused()
    expect(busy.conversation).to_have_attribute("data-status", "running")


def test_however_many_wait_the_box_stays_on_the_page(chat: Chat) -> None:
    chat.begin("say 400 @20")
    chat.wait_for_words(1)
    rows = wait_in_line(chat, *[f"say {number}" for number in range(1, 25)])
    chat.page.locator(".queue-more").click()
    expect(rows.nth(10)).to_be_visible()
    expect(chat.box).to_be_in_viewport()
    expect(chat.conversation).to_be_in_viewport()
