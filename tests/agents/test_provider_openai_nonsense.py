"""Whatever a model server sends, it is an answer or a ProviderError; whatever it says, no key gets out."""

import json
import random
from typing import Any

import pytest

from agents.errors import ProviderError
from agents.providers.failures import provider_error
from agents.providers.openai.config import ServerConfig
from agents.providers.openai.connection import Connections
from agents.providers.openai.reader import AnswerReader
from agents.runtime.draft import TurnDraft
from agents.transcript import entry_to_json

NASTY = [
    *(
        None,
        True,
        False,
        0,
        -1,
        2.5,
        1e999,
        -1e999,
        float("nan"),
        10**400,
        "",
        "x",
        "\ud83d",
        "\x00",
        "error",
    ),
    *([], {}, [[]], [{}], [None], {"a": 1}, ["x"]),
]
CHUNKS: list[dict[str, Any]] = [
    {"choices": [{"index": 0, "delta": {"role": "assistant", "content": "hi"}, "finish_reason": None}]},
    {
        "choices": [
            {
                "delta": {
                    "reasoning_content": "hm",
                    "content": [{"type": "text", "text": "x", "thinking": [{"text": "t"}]}],
                    "refusal": "no",
                }
            }
        ]
    },
    {
        "choices": [
            {"delta": {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": "{}"}}]}}
        ]
    },
    {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": "1"}}]}}]},
    {
        "choices": [{"delta": {}, "finish_reason": "stop"}],
        "usage": {
            "prompt_tokens": 1,
            "completion_tokens": 2,
            "prompt_tokens_details": {"cached_tokens": 3, "cache_write_tokens": 1},
        },
    },
    {"error": {"message": "m", "type": "t", "code": "c"}},
    {"object": "error", "message": "m", "code": 400},
]


def spoilt(value: Any, chance: random.Random) -> Any:
    """The same with parts that are missing, or something else."""
    if chance.random() < 0.15:
        return chance.choice(NASTY)
    if isinstance(value, dict):
        return {key: spoilt(inner, chance) for key, inner in value.items() if chance.random() > 0.05}
    if isinstance(value, list):
        return [spoilt(inner, chance) for inner in value]
    return value


@pytest.mark.parametrize("part", range(5))
def test_spoilt_chunks_are_an_answer_or_a_provider_error(part: int) -> None:
    chance = random.Random(part)
    for _ in range(1000):
        reader, draft = AnswerReader(), TurnDraft(run_id="r", first_index=0, provider="openai")
        chunks = [spoilt(chance.choice(CHUNKS), chance) for _ in range(chance.randint(1, 5))]
        lines = [f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks]
        try:
            deltas = [delta for line in lines for delta in reader.feed(line)] + reader.end()
        except ProviderError:
            continue
        for delta in deltas:
            draft.feed(delta)
        draft.close()
        for entry in draft.entries(taken=set()):
            entry_to_json(entry).encode()
        counts = draft.usage.to_dict().values() if draft.usage else []
        assert all(0 <= count < 2**53 for count in counts)


@pytest.mark.parametrize(
    "said",
    [
        "Incorrect API key provided: sk-proj-abcdefgh0123456789.",
        "Incorrect API key provided: our-own-secret-42.",
        "bad header Authorization: Bearer abc.def.ghi",
        "API key not valid: AIzaSyA0123456789abcdefghijklmnop",
    ],
)
def test_no_key_gets_out_with_an_error(monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "our-own-secret-42")
    told = str(provider_error(said, status=401))
    for secret in (
        "abcdefgh0123456789",
        "our-own-secret-42",
        "abc.def.ghi",
        "AIzaSyA0123456789abcdefghijklmnop",
    ):
        assert secret not in told
    assert "key" in told or "Authorization" in told


def test_no_password_of_an_address_gets_out() -> None:
    connections = Connections(ServerConfig("http://me:hunter2@models.example:8080/v1"))
    assert (
        str(connections.trouble(TimeoutError()))
        == "The model server at models.example:8080 cannot be reached."
    )
