"""From what people call a place to a time zone. Pure look-ups in the time zone database and in `cities`."""

from __future__ import annotations

import re
import unicodedata
from datetime import timedelta, timezone, tzinfo
from difflib import get_close_matches
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from agents.tools.clock.cities import NAMES

SEPARATORS = re.compile(r"\s*(?:[,;，；、&]|\band\b|\bund\b|[和与及])\s*", re.IGNORECASE)
OFFSET = re.compile(r"(?:utc|gmt)?([+-])(\d{1,2})(?::?([0-5]\d))?", re.IGNORECASE)
NO_CITIES = ("Brazil/", "Canada/", "Chile/", "Etc/", "Mexico/", "SystemV/", "US/", "posix", "right")
LOCAL_SUFFIXES = ("时间", "市")


def split_places(text: str) -> list[str]:
    """`Tokyo, Lima and Berlin` → three; `Washington, DC`, which is one place, stays one."""
    if find_zone(text) is not None:
        return [text.strip()]
    return [part for part in SEPARATORS.split(text.strip()) if part]


def find_zone(place: str) -> tzinfo | None:
    """The zone of an IANA name, a city, a country with one zone, or an offset like UTC+8; None if unknown."""
    offset = OFFSET.fullmatch(place.strip())
    if offset is not None:
        return fixed_zone(*offset.groups())
    name = zone_names().get(key(place))
    return ZoneInfo(name) if name else None


def fixed_zone(sign: str, hours: str, minutes: str | None) -> tzinfo | None:
    distance = timedelta(hours=int(hours), minutes=int(minutes or 0))
    if distance > timedelta(hours=14):
        return None
    return timezone(-distance if sign == "-" else distance)


def similar_places(place: str) -> list[str]:
    """Up to three known names that look like a misspelt one."""
    return [
        found.replace("-", " ").title()
        for found in get_close_matches(key(place), zone_names(), n=3, cutoff=0.75)
    ]


@cache
def zone_names() -> dict[str, str]:
    names: dict[str, str] = {}
    for zone in sorted(available_timezones(), key=lambda zone: (zone.count("/"), zone), reverse=True):
        names[key(zone)] = zone
        if "/" in zone and not zone.startswith(NO_CITIES):
            names[key(zone.rpartition("/")[2])] = zone
    for zone, words in NAMES.items():
        names[key(zone.rpartition("/")[2])] = zone
        names.update({key(word): zone for word in words.split()})
    return names


def key(place: str) -> str:
    """`São Paulo`, `sao_paulo`, `SAO-PAULO` → one key. Accents go, and 市 and 时间 at the end too."""
    plain = unicodedata.normalize("NFKD", place.strip().casefold())
    word = re.sub(r"[\s_,.-]+", "-", "".join(c for c in plain if not unicodedata.combining(c))).strip("-")
    for suffix in LOCAL_SUFFIXES:
        word = word.removesuffix(suffix) if len(word) > len(suffix) + 1 else word
    return word
