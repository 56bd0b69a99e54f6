"""The ways to write a script."""

import pytest

from agents import Agent, Runner, tool
from agents.testing import ScriptedProvider, call, text
from agents.transcript import AssistantTextEntry, ToolCallEntry


@tool
def lookup(word: str) -> str:
    """Looks a word up."""
    return word


async def entries_of(provider):
    result = await Runner.run(Agent(name="helper", model=provider, tools=[lookup]), "Go")
    return [entry for entry in result.entries if isinstance(entry, AssistantTextEntry | ToolCallEntry)]


@pytest.mark.parametrize(
    "provider",
    [
        lambda: ScriptedProvider([call("lookup", {"word": "ink"}), text("Fine.")]),
        lambda: ScriptedProvider(call("lookup", {"word": "ink"}), "Fine."),
        lambda: ScriptedProvider([lambda request: call("lookup", {"word": "ink"}), [text("Fine.")]]),
    ],
)
async def test_a_script_is_a_list_or_one_argument_a_turn(provider):
    called, said = await entries_of(provider())
    assert (called.name, called.arguments, said.content) == ("lookup", '{"word": "ink"}', "Fine.")


async def test_a_list_in_a_script_is_one_turn():
    both = [text("Both."), call("lookup", {"word": "a"}), call("lookup", {"word": "b"})]
    provider = ScriptedProvider([both, text("Fine.")])
    entries = await entries_of(provider)
    assert [getattr(entry, "content", None) for entry in entries] == ["Both.", None, None, "Fine."]
    assert len(provider.requests) == 2
