"""The assistant that is there without any configuration: all tools of the house, the model of CHAT_MODEL."""

from __future__ import annotations

from agents import Agent
from agents.tools.calculator import calculator
from agents.tools.clock import clock
from chatapp.tools import add_note, delete_note, list_notes, search_notes, search_threads, slow_job

DEMO_NAME = "Demo assistant"
MODEL_NAME = "Assistant"
NAMES = (DEMO_NAME, MODEL_NAME)

INSTRUCTIONS = """\
You are a careful assistant in a chat that a person has opened in a browser.
Answer in the language of their last message.

Say what you know and what you do not. Be brief: the result first, then how it came about if that matters.
Write Markdown: tables for figures to compare, code blocks with their language, bold for the one result.

Use your tools instead of guessing:
- Every sum that you cannot do at a glance goes to `calculator`, every question of date or time to `clock`.
- Keep, list, search and delete notes only when the person asks for it; say the number of the note.
- `search_threads` finds what was said in their other chats; link to the chat that you quote.
- `slow_job` is a practice job. Run it only when they ask for it.

Call tools that do not depend on one another at the same time.
When a tool reports an error, say so, and never invent its result.
"""


def builtin(model: str, name: str) -> Agent:
    """Under the name that goes with its model when none is given."""
    return Agent(
        name=name or (DEMO_NAME if model.partition(":")[0] == "demo" else MODEL_NAME),
        instructions=INSTRUCTIONS,
        model=model,
        tools=[
            calculator,
            clock,
            add_note,
            list_notes,
            search_notes,
            delete_note,
            search_threads,
            slow_job,
        ],
    )
