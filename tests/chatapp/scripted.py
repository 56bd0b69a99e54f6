"""The assistant of the web tests: it says what the test has scripted."""

from agents import Agent
from agents.testing import ScriptedProvider

helper = Agent(name="helper", instructions="You help.", model=ScriptedProvider())
