"""An answer that nobody is to see: it is on no page and in no history, whatever comes after it."""

import pytest

from agents.testing import text
from agents.transcript import AssistantTextEntry
from tests.chatapp.conftest import ended, flight_of, said, segments, send, shown
from tests.chatapp.scripted import helper

pytestmark = pytest.mark.runs


@pytest.fixture
def refusing(script, monkeypatch):
    """An assistant whose answers about secrets are refused."""
    monkeypatch.setattr(
        helper, "output_guardrails", [lambda run, output: "no" if "secret" in output else None]
    )
    return script


def test_what_a_guardrail_refused_is_neither_shown_nor_stored(client, refusing, thread):
    provider = refusing(text("The secret is marmot."), text("Something else."))
    send(client, thread, "Tell me")
    ended(thread)
    assert (flight_of(thread).head.error or {}).get("type") == "GuardrailTripped"
    assert shown(thread) == ""
    assert "marmot" not in client.get(f"/threads/{thread.id}/").content.decode()
    send(client, thread, "And now?")
    ended(thread)
    assert said(thread.session_id) == ["Tell me", "And now?", "Something else."]
    assert not [entry for entry in segments(thread)[0].entries if isinstance(entry, AssistantTextEntry)]
    assert "marmot" not in str(provider.requests[-1])
