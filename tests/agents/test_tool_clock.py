from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from agents.errors import ToolError
from agents.tools.base import RunContext
from agents.tools.clock import MAX_PLACES, clock, tell_time
from agents.tools.clock.cities import NAMES
from agents.tools.clock.places import find_zone, split_places

NOW = datetime(2026, 11, 24, 12, 4, tzinfo=UTC)


@dataclass(frozen=True)
class Deps:
    time_zone: str


@pytest.mark.parametrize(
    "place, zone",
    [
        ("Tokyo", "Asia/Tokyo"),
        ("asia/tokyo", "Asia/Tokyo"),
        ("东京", "Asia/Tokyo"),
        ("东京市", "Asia/Tokyo"),
        ("北京时间", "Asia/Shanghai"),
        ("京都", "Asia/Tokyo"),
        ("利马", "America/Lima"),
        ("柏林", "Europe/Berlin"),
        ("new york", "America/New_York"),
        ("New_York", "America/New_York"),
        ("San Francisco", "America/Los_Angeles"),
        ("Washington, DC", "America/New_York"),
        ("St. Louis", "America/Chicago"),
        ("São Paulo", "America/Sao_Paulo"),
        ("sao paulo", "America/Sao_Paulo"),
        ("Zürich", "Europe/Zurich"),
        ("munich", "Europe/Berlin"),
        ("Peru", "America/Lima"),
        ("Delhi", "Asia/Kolkata"),
        ("utc", "UTC"),
        ("Europe/Kyiv", "Europe/Kyiv"),
    ],
)
def test_a_place_has_a_zone(place: str, zone: str) -> None:
    assert str(find_zone(place)) == zone


@pytest.mark.parametrize("place", ["Atlantis", "", "../../etc/passwd", "UTC+99", "Asia", "\x00", "市"])
def test_what_is_no_place_has_none(place: str) -> None:
    assert find_zone(place) is None


def test_every_name_of_the_table_leads_to_its_zone() -> None:
    wrong = {word for zone, words in NAMES.items() for word in words.split() if str(find_zone(word)) != zone}
    assert wrong == set()


@pytest.mark.parametrize("text, hours", [("UTC+8", 8), ("gmt-3", -3), ("UTC+05:30", 5.5), ("+0900", 9)])
def test_an_offset_is_a_place_too(text: str, hours: float) -> None:
    zone = find_zone(text)
    assert zone is not None
    assert zone.utcoffset(None) == timedelta(hours=hours)


@pytest.mark.parametrize(
    "text, places",
    [
        ("Tokyo, Lima and Berlin", ["Tokyo", "Lima", "Berlin"]),
        ("Tokyo & Lima; Asia/Seoul", ["Tokyo", "Lima", "Asia/Seoul"]),
        ("东京、利马和柏林", ["东京", "利马", "柏林"]),
        ("Washington, DC", ["Washington, DC"]),
        ("Andorra and Sandusky", ["Andorra", "Sandusky"]),
        ("", []),
    ],
)
def test_places_are_split(text: str, places: list[str]) -> None:
    assert split_places(text) == places


def test_one_line_for_each_place() -> None:
    assert tell_time("Tokyo, 利马, UTC+05:30", NOW).splitlines() == [
        "2026-11-24 21:04 Tuesday · Tokyo (Asia/Tokyo, UTC+09:00)",
        "2026-11-24 07:04 Tuesday · 利马 (America/Lima, UTC-05:00)",
        "2026-11-24 17:34 Tuesday · UTC+05:30 (UTC+05:30)",
    ]


def test_daylight_saving_counts() -> None:
    summer = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)
    assert tell_time("Berlin", summer) == "2026-07-01 14:00 Wednesday · Berlin (Europe/Berlin, UTC+02:00)"


def test_an_unknown_place_among_known_ones_gets_its_line() -> None:
    lines = tell_time("Lima, Xyzzy", NOW).splitlines()
    assert lines[1] == "Unknown place: Xyzzy. Name a city, or a zone such as Europe/Berlin."


def test_only_unknown_places_are_an_error_that_suggests() -> None:
    with pytest.raises(ToolError) as caught:
        tell_time("Berlni", NOW)
    assert "Did you mean Berlin" in str(caught.value)


def test_too_many_places_are_refused() -> None:
    with pytest.raises(ToolError):
        tell_time(", ".join(["Lima"] * (MAX_PLACES + 1)), NOW)


@pytest.mark.parametrize("deps, zone", [(None, "UTC"), (Deps(""), "UTC"), (Deps("Asia/Tokyo"), "Asia/Tokyo")])
async def test_without_a_place_it_is_the_users_zone(deps: object, zone: str) -> None:
    answer = await clock.invoke(RunContext("run", "call", deps=deps), {})
    assert f" · {zone} (" in answer


def test_the_tool_hides_its_context_and_may_be_repeated() -> None:
    assert list(clock.parameters["properties"]) == ["place"]
    assert clock.repeatable
