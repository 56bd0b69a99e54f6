"""A tab as its user sees it: the conversation in words, and what can be done in it."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

SECONDS = 20_000


def words(count: int) -> str:
    """What `say count` makes the model say."""
    return " ".join(f"w{n}" for n in range(1, count + 1))


class Chat:
    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self._url = url

    def open(self, thread: str = "") -> Chat:
        self.page.goto(f"{self._url}/threads/{thread}/" if thread else self._url)
        return self._ready()

    def reload(self) -> Chat:
        self.page.reload()
        return self._ready()

    def _ready(self) -> Chat:
        """The scripts listen."""
        self.page.wait_for_function("document.querySelector('#composer').noValidate")
        return self

    # what can be done

    def begin(self, text: str) -> Chat:
        """Sends the first message of a new chat."""
        self.write(text)
        self.page.wait_for_url("**/threads/**")
        return self._ready()

    def write(self, text: str) -> None:
        self.box.fill(text)
        self.box.press("Enter")

    def stop(self) -> None:
        self.page.locator("[data-action=stop]").click()

    def edit(self, turn: Locator) -> Locator:
        """Opens the editor of the turn's message. → its textarea"""
        turn.locator(".message").hover()
        turn.locator(".message [data-action=edit]").click()
        return turn.get_by_label("Edit your message")

    def delete(self, *, in_list: bool) -> None:
        """From the menu of the first row of the list, or of the chat that is open."""
        row = self.page.locator("#chats .row").first
        if in_list:
            row.hover()
        opener = row.locator(".row-menu") if in_list else self.page.get_by_label("Menu of this chat")
        opener.click()
        self.page.locator("[role=menuitem][data-action=delete]:visible").click()
        self.page.locator("#delete-dialog [type=submit]").click()

    # what can be seen

    @property
    def thread(self) -> str:
        return self.page.url.rstrip("/").split("/")[-1]

    @property
    def box(self) -> Locator:
        return self.page.get_by_label("Write a message")

    @property
    def conversation(self) -> Locator:
        return self.page.locator("#conversation")

    @property
    def turns(self) -> Locator:
        return self.page.locator("#turns > .turn")

    @property
    def last(self) -> Locator:
        return self.turns.last

    @property
    def messages(self) -> list[str]:
        return self.turns.locator(".message-text").all_text_contents()

    @property
    def answer(self) -> str:
        """The text of the last answer, white space evened out."""
        return " ".join(" ".join(self.last.locator(".part-text").all_text_contents()).split())

    @property
    def heard(self) -> int:
        """How many words of `say` are there; they are consecutive, or the test fails."""
        said = re.findall(r"w\d+", self.answer)
        assert said == words(len(said)).split(), self.answer
        return len(said)

    def wait_for_words(self, count: int) -> None:
        expect(self.last.locator(".part-text").last).to_contain_text(f"w{count}", timeout=SECONDS)

    def wait_for_status(self, status: str) -> Chat:
        """The server's own turn has taken the place of the one that was written."""
        expect(self.conversation).to_have_attribute("data-status", status, timeout=SECONDS)
        expect(self.last.locator(".actions, .panel").first).to_be_attached(timeout=SECONDS)
        return self

    def wait_until_idle(self) -> Chat:
        return self.wait_for_status("idle")

    def measure(self, script: str) -> Any:
        return self.page.evaluate(script)
