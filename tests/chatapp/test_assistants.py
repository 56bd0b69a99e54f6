"""Which assistants are on offer, from the settings and from the house."""

import subprocess
import sys
from types import ModuleType
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.utils import translation
from pytest_django import Settings

from agents import Agent, UserError
from agents.tools.calculator import calculator
from chatapp import assistants

DEMO_TOOLS = {
    "calculator",
    "clock",
    "add_note",
    "list_notes",
    "search_notes",
    "delete_note",
    "search_threads",
    "slow_job",
}


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module of a deployment, to put assistants into."""
    module = ModuleType("my_assistants")
    monkeypatch.setitem(sys.modules, "my_assistants", module)
    return module


def offer(settings: Settings, *attributes: str) -> list[str]:
    settings.ASSISTANTS = [f"my_assistants:{attribute}" for attribute in attributes]
    assistants._assistants.cache_clear()
    return [agent.name for agent in assistants.all_assistants()]


def test_without_a_model_there_is_the_demo(settings: Settings) -> None:
    settings.CHAT_MODEL = "demo"
    (agent,) = assistants.all_assistants()
    assert agent.name == "Demo assistant"
    assert {tool.name for tool in agent.tools} == DEMO_TOOLS
    assert assistants.is_demo()
    assert assistants.model_label() == "demo"


@pytest.mark.parametrize(
    "model, label", [("openai:gpt-5-mini", "gpt-5-mini"), ("openai:org/x:8b", "org/x:8b"), ("google:g", "g")]
)
def test_a_model_has_the_same_tools(settings: Settings, model: str, label: str) -> None:
    settings.CHAT_MODEL = model
    agent = assistants.default_assistant()
    assert (agent.name, agent.model) == ("Assistant", model)
    assert {tool.name for tool in agent.tools} == DEMO_TOOLS
    assert not assistants.is_demo()
    assert assistants.model_label() == label


def test_an_assistant_is_got_by_name(settings: Settings) -> None:
    settings.CHAT_MODEL = "demo"
    assert assistants.get_assistant("Demo assistant") is assistants.default_assistant()
    assert assistants.get_assistant("") is assistants.default_assistant()
    with pytest.raises(UserError) as caught:
        assistants.get_assistant("Purchasing")
    assert caught.value.hint


def test_a_thread_of_the_demo_goes_on_with_the_model_that_was_connected(settings: Settings) -> None:
    settings.CHAT_MODEL = "openai:gpt-5-mini"
    agent = assistants.get_assistant("Demo assistant")
    assert (agent.name, agent.model) == ("Demo assistant", "openai:gpt-5-mini")
    assert assistants.get_assistant("Demo assistant") is agent


def test_others_take_the_place_of_the_built_in_one(settings: Settings, home: Any) -> None:
    home.one = Agent(name="One", model="openai:x")
    home.many = [Agent(name="Two"), Agent(name="Three")]
    home.made = lambda: [Agent(name="Four")]
    assert offer(settings, "one", "many", "made") == ["One", "Two", "Three", "Four"]
    assert assistants.default_assistant() is home.one
    with pytest.raises(UserError):
        assistants.get_assistant("Demo assistant")


def test_one_without_a_model_gets_the_configured_one_and_so_do_those_it_hands_over_to(
    settings: Settings, home: Any
) -> None:
    settings.CHAT_MODEL = "openai:house"
    own, other = Agent(name="Own", model="openai:own"), Agent(name="Other")
    home.entry = Agent(name="Entry", handoffs=[own, other])
    offer(settings, "entry")
    assert [agent.model for agent in (home.entry, own, other)] == [
        "openai:house",
        "openai:own",
        "openai:house",
    ]


@pytest.mark.parametrize(
    "path, reason",
    [
        ("my_assistants", "must look like package.module:attribute"),
        ("my_assistants:", "must look like package.module:attribute"),
        ("no_such_module_here:agent", "cannot be imported: No module named 'no_such_module_here'"),
        ("my_assistants:missing", "my_assistants has no missing"),
        ("my_assistants:text", "not str"),
        ("my_assistants:empty", "not list"),
        ("my_assistants:mixed", "not list"),
        ("my_assistants:nothing", "not NoneType"),
        ("my_assistants:twins", "Two agents are named"),
    ],
)
def test_a_wrong_entry_is_named_with_its_reason(
    settings: Settings, home: Any, path: str, reason: str
) -> None:
    home.text, home.empty, home.mixed, home.nothing = "x", [], [Agent(name="A"), 1], lambda: None
    home.twins = Agent(name="Twin", handoffs=[Agent(name="Twin")])
    settings.ASSISTANTS = [path]
    with pytest.raises(ImproperlyConfigured) as caught:
        assistants.all_assistants()
    assert "ASSISTANTS" in str(caught.value)
    assert path in str(caught.value)
    assert reason in str(caught.value)


def test_two_of_one_name_are_refused(settings: Settings, home: Any) -> None:
    home.a, home.b = Agent(name="Same"), Agent(name="Same")
    with pytest.raises(ImproperlyConfigured, match="more than one assistant is called Same"):
        offer(settings, "a", "b")


def test_the_examples_are_those_of_the_page(settings: Settings) -> None:
    settings.CHAT_MODEL = "demo"
    with translation.override("en"):
        assert [(example.text, example.tool) for example in assistants.examples()] == [
            ("What time is it in Tokyo, Lima and Berlin?", "clock"),
            ("17.5 % of 2,480, and the sum", "calculator"),
            ("Keep a note: the alarm code changes on Friday", "notes"),
            ("Run a slow job with five steps, so that I can stop it", "slow job"),
        ]


def test_an_assistant_promises_only_what_it_has() -> None:
    agent = Agent(name="Sums", model="demo", tools=[calculator])
    assert [example.tool for example in assistants.examples(agent)] == ["calculator"]
    assert assistants.examples(Agent(name="Bare", model="demo")) == []


def test_the_module_can_be_imported_before_the_models() -> None:
    code = (
        "import django.conf, sys; import chatapp.assistants;"
        "assert 'chatapp.models' not in sys.modules and 'agents.models' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_provider_is_imported_for_the_list_of_assistants() -> None:
    code = (
        "import os; os.environ['DJANGO_SETTINGS_MODULE'] = 'tests.settings';"
        "import sys; from chatapp import assistants; assistants.all_assistants();"
        "assert not [name for name in sys.modules if name.startswith(('pydantic_ai', 'openai', 'anthropic'))]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
