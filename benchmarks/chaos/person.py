"""A person: threads, tabs, and one thing after the other (or at the same time) done with them."""

from __future__ import annotations

import asyncio
import random
import re
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from benchmarks.chaos.browser import Answer, Browser, Lost
from benchmarks.chaos.ledger import Change, Command, Ledger, Name
from benchmarks.chaos.messages import Speaker
from benchmarks.chaos.tab import Tab

RETRY_SECONDS = 60.0
LINK = re.compile(r"/threads/([0-9a-f-]{36})/")
SENDING: frozenset[Name] = frozenset({"new", "send"})


@dataclass(slots=True)
class Town:
    """What all people share: the ledger, and whose threads there are."""

    ledger: Ledger
    threads: dict[str, int] = field(default_factory=dict)

    def others(self, person: int) -> list[str]:
        return [thread for thread, owner in self.threads.items() if owner != person]


class Person:
    """`number` names them in the ledger. Every method is one thing that a person can do; none of them raises
    for what a fault does to it."""

    def __init__(self, number: int, seed: int, browser: Browser, speaker: Speaker, town: Town) -> None:
        self.number = number
        self.browser = browser
        self.speaker = speaker
        self.dice = random.Random(f"{seed}/person/{number}")
        self.threads: list[str] = []
        self.tabs: list[Tab] = []
        self.commands: list[Command] = []
        self._town = town
        self._ledger = town.ledger

    @property
    def made(self) -> list[str]:
        """All threads they ever had, also such as they think of no more: a deletion may have failed."""
        return [thread for thread, owner in self._town.threads.items() if owner == self.number]

    async def close(self) -> None:
        await asyncio.gather(*(tab.close() for tab in self.tabs))
        await self.browser.close()

    # commands that bring a message

    async def new_thread(self, *, clicks: int = 1) -> Command:
        command = self._command("new", "", self.speaker.next())
        await self._click(clicks, command, "/threads/", text=command.text)
        if command.thread and command.thread not in self.threads:
            self.threads.append(command.thread)
            self._town.threads[command.thread] = self.number
            self.open_tab(command.thread)
        return command

    async def send(self, thread: str, *, text: str = "", clicks: int = 1) -> Command:
        command = self._command("send", thread, text or self.speaker.next())
        await self._click(clicks, command, f"/threads/{thread}/messages/", text=command.text)
        return command

    async def edit(self, thread: str, ref: str, *, clicks: int = 1) -> Command:
        command = self._command("edit", thread, self.speaker.next())
        await self._click(clicks, command, f"/threads/{thread}/edit/", ref=ref, text=command.text)
        return command

    async def regenerate(self, thread: str, *, clicks: int = 1) -> Command:
        command = self._command("regenerate", thread, "")
        await self._click(clicks, command, f"/threads/{thread}/regenerate/")
        return command

    async def send_again(self, command: Command) -> None:
        """The very same, long after: nothing must change."""
        if command.name in SENDING and command.outcome == "accepted":
            path = "/threads/" if command.name == "new" else f"/threads/{command.thread}/messages/"
            await self._attempt(command, path, {"text": command.text})

    def _command(self, name: Name, thread: str, text: str) -> Command:
        command = Command(self.number, name, thread, text)
        self._ledger.commands.append(command)
        self.commands.append(command)
        return command

    async def _click(self, clicks: int, command: Command, path: str, **fields: str) -> None:
        await asyncio.gather(*(self._until_answered(command, path, fields) for _ in range(clicks)))

    async def _until_answered(self, command: Command, path: str, fields: dict[str, str]) -> None:
        """As the composer does: the same client_id until somebody says what became of it."""
        gives_up_at = time.monotonic() + RETRY_SECONDS
        gives_up_at = 0 if self.dice.random() < 0.03 else gives_up_at
        while not await self._attempt(command, path, fields):
            await asyncio.sleep(self.dice.uniform(0.2, 1.5))
            if time.monotonic() > gives_up_at or command.outcome != "unknown":
                return

    async def _attempt(self, command: Command, path: str, fields: dict[str, str]) -> bool:
        try:
            answer = await self.browser.post(path, client_id=command.client_id, **fields)
        except Lost:
            command.was_lost = True
            return False
        if answer.status >= 500:
            command.was_lost = True
            return False
        if answer.is_good:
            self._accepted(command, answer)
        else:
            self._refused(command, answer)
        return True

    def _accepted(self, command: Command, answer: Answer) -> None:
        thread, run_id = answer.data["thread"], answer.data.get("run_id", "")
        if command.thread not in ("", thread) or command.run_id not in ("", run_id):
            self._ledger.accuse(
                "once", f"{command.name} {command.client_id} sent twice: {command} and {answer.body[:200]}"
            )
        command.thread = thread
        command.accept(run_id)

    def _refused(self, command: Command, answer: Answer) -> None:
        is_deleted = answer.status == 404 and self._ledger.changes_of(command.thread, "delete")
        if command.name in SENDING and not is_deleted:
            self._ledger.accuse(
                "accepted", f"{command.name} to {command.thread} → {answer.status}: {answer.body[:200]}"
            )
        if command.outcome == "unknown" and not command.was_lost:
            command.outcome = "refused"

    # commands about what is there

    async def stop(self, thread: str) -> None:
        await self._ask_for(f"/threads/{thread}/stop/", good=(200, 404))

    async def go_on(self, thread: str) -> None:
        await self._ask_for(f"/threads/{thread}/queue/", good=(200, 404), action="go_on")

    async def recover(self, thread: str, action: str) -> None:
        change = self._change("resume", thread) if action == "resume" else None
        await self._ask_for(f"/threads/{thread}/recover/", change, good=(200, 404, 409), action=action)

    async def withdraw(self, thread: str, message: dict[str, Any]) -> None:
        change = self._change("withdraw", thread, old=message["text"])
        path = f"/threads/{thread}/queue/{message['id']}/"
        answer = await self._ask_for(path, change, good=(200, 404, 409), action="withdraw")
        if answer is not None and answer.status == 200:
            change.old = answer.data["text"]

    async def reword(self, thread: str, message: dict[str, Any]) -> None:
        change = self._change("reword", thread, old=message["text"], new=self.speaker.next())
        path = f"/threads/{thread}/queue/{message['id']}/"
        await self._ask_for(path, change, good=(200, 404, 409), text=change.new)

    async def delete(self, thread: str) -> None:
        change = self._change("delete", thread)
        if thread in self.threads:
            self.threads.remove(thread)
        await self._ask_for(f"/threads/{thread}/delete/", change, good=(200, 404))

    def _change(self, name: Any, thread: str, old: str = "", new: str = "") -> Change:
        change = Change(name, thread, old, new)
        self._ledger.changes.append(change)
        return change

    async def _ask_for(
        self, path: str, change: Change | None = None, *, good: tuple[int, ...], **fields: str
    ) -> Answer | None:
        try:
            answer = await self.browser.post(path, **fields)
        except Lost:
            return None
        if answer.status < 500 and change is not None:
            change.answer(answer.status)
        if answer.status < 500 and answer.status not in good:
            self._ledger.accuse("accepted", f"{path} {fields} → {answer.status}: {answer.body[:200]}")
        return answer

    # looking

    async def export(self, thread: str) -> dict[str, Any] | None:
        with suppress(Lost):
            answer = await self.browser.get(f"/threads/{thread}/export.json")
            return answer.data if answer.status == 200 else None
        return None

    async def find_threads(self) -> None:
        """What came of threads that they tried to make, and gave up on before there was an answer."""
        unheard = [c for c in self.commands if c.name == "new" and not c.thread]
        page = await self.browser.get("/sidebar/")
        for thread in set(LINK.findall(page.body)) - set(self._town.threads) if unheard else ():
            exported = await self.export(thread)
            said = first_message(exported) if exported else ""
            for command in unheard:
                if command.text == said:
                    command.thread = thread
                    self._town.threads[thread] = self.number

    async def look(self, path: str) -> None:
        with suppress(Lost):
            await self.browser.get(path)

    async def peek(self) -> None:
        """At what is somebody else's."""
        others = self._town.others(self.number)
        if not others:
            return
        thread = self.dice.choice(others)
        path = f"/threads/{thread}/"
        with suppress(Lost):
            seen = await self.browser.get(path + self.dice.choice(("", "export.json", "conversation/")))
            done = await self.browser.post(path + self.dice.choice(("stop/", "regenerate/", "delete/")))
            for answer in (seen, done):
                if answer.status not in (404, 500, 502, 503):
                    self._ledger.accuse("privacy", f"{path} of another answers {answer.status}")

    def open_tab(self, thread: str) -> None:
        self.tabs.append(Tab(thread, self.browser, self._ledger, self.dice))

    async def close_tab(self, tab: Tab) -> None:
        self.tabs.remove(tab)
        await tab.close()


def first_message(exported: dict[str, Any]) -> str:
    flight = [exported["in_flight"]] if exported["in_flight"] else []
    entries = [entry for run in [*exported["segments"], *flight] for entry in run["entries"]]
    return str(entries[0]["content"]) if entries else ""
