"""What an import brings in. Each in a process of its own, since here Django is loaded already."""

import subprocess
import sys

import pytest

QUIET = [
    "import agents",
    "from agents import CheckpointOptions, UserError",
    "from agents.stores import InMemorySession, InMemoryCheckpointer",
    "from agents.transcript import InputEntry, drop_dangling_tool_calls",
    "from agents.checkpoint import RunHead, RunSnapshot, Checkpointer",
    "from agents.session import Segment, Session",
]


def python(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.strip()


@pytest.mark.parametrize("imports", QUIET)
def test_the_core_and_the_memory_stores_do_without_django(imports: str) -> None:
    loaded = "[m for m in sys.modules if m.split('.')[0] in ('django', 'channels', 'asgiref')]"
    assert python(f"import sys; {imports}; print({loaded})") == "[]"


def test_the_orm_stores_come_when_they_are_asked_for() -> None:
    code = """
import django
from django.conf import settings
settings.configure(INSTALLED_APPS=["agents"])
django.setup()
from agents.stores import OrmCheckpointer, OrmSession
print(OrmSession.__name__, OrmCheckpointer.__name__)
"""
    assert python(code) == "OrmSession OrmCheckpointer"


def test_a_name_that_is_not_there_is_no_attribute() -> None:
    import agents
    from agents import stores

    for module in (agents, stores):
        with pytest.raises(AttributeError):
            module.Nothing  # noqa: B018
