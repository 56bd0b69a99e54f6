"""Which places a question about the time names."""

import pytest

from agents.providers.demo.rules.time import places_in


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("What time is it in Tokyo, Lima and Berlin?", ["Tokyo", "Lima", "Berlin"]),
        ("What time is it in Tokyo? And in Lima?", ["Tokyo", "Lima"]),
        ("What time is it in New York and in São Paulo now", ["New York", "São Paulo"]),
        ("What time is it in Tokyo? What about Lima?", ["Tokyo", "Lima"]),
        ("What time is it?", []),
    ],
)
def test_places_are_found_however_they_are_joined(text, places):
    assert places_in(text, is_chinese=False) == places
