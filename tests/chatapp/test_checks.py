"""A wrong configuration is named, with what would be right."""

import pytest
from django.core.checks import run_checks
from pytest_django import Settings

from chatapp.checks import TAG


def complaints() -> list[str]:
    return [str(message.id) for message in run_checks(tags=[TAG])]


def test_the_defaults_are_right() -> None:
    assert complaints() == []


@pytest.mark.parametrize(
    ("is_sqlite", "redis_url", "ids"),
    [
        (True, "", ["chatapp.DATABASE_URL", "chatapp.REDIS_URL"]),
        (False, "", ["chatapp.REDIS_URL"]),
        (False, "redis://127.0.0.1:6379/0", []),
    ],
)
def test_workers_need_postgres_and_redis(
    settings: Settings, is_sqlite: bool, redis_url: str, ids: list
) -> None:
    settings.RUN_EXECUTOR, settings.IS_SQLITE, settings.REDIS_URL = "procrastinate", is_sqlite, redis_url
    assert complaints() == ids


@pytest.mark.parametrize(
    ("name", "value"),
    [("SIGNUP", "everybody"), ("RUN_EXECUTOR", "elsewhere"), ("ASSISTANTS", ["nowhere.to_be:found"])],
)
def test_a_wrong_value_is_named(settings: Settings, name: str, value: object) -> None:
    setattr(settings, name, value)
    assert complaints() == [f"chatapp.{name}"]
