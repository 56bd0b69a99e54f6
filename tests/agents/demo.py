"""A chat with the demo assistant: the real loop, the real calculator and clock, and notes in a dictionary."""

from __future__ import annotations

from dataclasses import dataclass, field

from agents import Agent, Runner, tool
from agents.deltas import Delta
from agents.errors import ToolError
from agents.providers.base import ModelRequest, ToolSpec
from agents.providers.demo import DemoProvider
from agents.providers.demo.plan import Step, next_step
from agents.providers.demo.rules import choose
from agents.providers.demo.talk import Exchange, Outcome, Talk, is_chinese
from agents.stores import InMemorySession
from agents.tools.base import Tool
from agents.tools.calculator import calculator
from agents.tools.clock import clock
from agents.transcript import Entry

NOTE_TOOLS = ("add_note", "list_notes", "search_notes", "delete_note")
ALL_TOOLS = ("calculator", "clock", *NOTE_TOOLS, "search_threads", "slow_job")


def request(entries: list[Entry], *, tools: tuple[str, ...] = ALL_TOOLS, run_id: str = "run") -> ModelRequest:
    specs = [ToolSpec(name, "", {}) for name in tools]
    return ModelRequest("demo", "", entries, specs, run_id=run_id)


async def stream(entries: list[Entry], *, tools: tuple[str, ...] = ALL_TOOLS) -> list[Delta]:
    provider = DemoProvider(tokens_per_second=None)
    return [delta async for delta in provider.stream(request(entries, tools=tools))]


def ask(
    text: str,
    *outcomes: Outcome,
    tools: tuple[str, ...] = ALL_TOOLS,
    earlier: tuple[Exchange, ...] = (),
) -> Step:
    """What the demo does next about this message, after these outcomes of its calls."""
    messages = [*(exchange.question for exchange in earlier), text]
    talk = Talk(text, is_chinese(messages), frozenset(tools), earlier, outcomes)
    return next_step(choose(talk), outcomes)


def calls(text: str, *outcomes: Outcome, tools: tuple[str, ...] = ALL_TOOLS) -> list[tuple[str, object]]:
    """Its calls by name, with the one argument that they have."""
    step = ask(text, *outcomes, tools=tools)
    return [(call.name, next(iter(call.arguments.values()), None)) for call in step.calls]


@dataclass
class Chat:
    """`say` runs a whole turn and returns the last answer."""

    notes: dict[int, str] = field(default_factory=dict)
    provider: DemoProvider = field(default_factory=lambda: DemoProvider(tokens_per_second=None))
    session: InMemorySession = field(default_factory=InMemorySession)

    async def say(self, text: str) -> str:
        result = await Runner.run(self.agent(), text, session=self.session, session_id="chat")
        return str(result.output)

    def agent(self) -> Agent:
        return Agent(name="Demo", model=self.provider, tools=[calculator, clock, *self.note_tools()])

    def note_tools(self) -> list[Tool]:
        @tool
        def add_note(text: str) -> str:
            number = max(self.notes, default=0) + 1
            self.notes[number] = text
            return f"Note {number} is kept."

        @tool
        def list_notes() -> str:
            return listed(self.notes)

        @tool
        def search_notes(query: str) -> str:
            return listed({number: text for number, text in self.notes.items() if query in text})

        @tool
        def delete_note(note_id: int) -> str:
            if note_id not in self.notes:
                raise ToolError(f"There is no note {note_id}.")
            return f"Note {note_id} is deleted: {self.notes.pop(note_id)}"

        return [add_note, list_notes, search_notes, delete_note]


def listed(notes: dict[int, str]) -> str:
    head = "1 note" if len(notes) == 1 else f"{len(notes) or 'No'} notes"
    return "\n".join([head, *(f"#{number} · 2026-01-12 · {text}" for number, text in notes.items())])
