"""A wrong configuration is named, with what would be right."""

import pytest
from django.core.checks import run_checks
from pytest_django import Settings

from chatapp.checks import TAG


def complaints() -> list[str]:
    return [str(message.id) for message in run_checks(tags=[TAG])]


def test_the_defaults_are_right() -> None:
    assert complaints() == []


@pytest.mark.parametrize(("is_sqlite", "ids"), [(True, ["chatapp.DATABASE_URL"]), (False, [])])
def test_workers_need_postgres(settings: Settings, is_sqlite: bool, ids: list[str]) -> None:
    settings.RUN_EXECUTOR, settings.IS_SQLITE = "procrastinate", is_sqlite
    assert complaints() == ids


@pytest.mark.parametrize(
    ("name", "value"),
    [("SIGNUP", "everybody"), ("RUN_EXECUTOR", "elsewhere"), ("ASSISTANTS", ["nowhere.to_be:found"])],
)
def test_a_wrong_value_is_named(settings: Settings, name: str, value: object) -> None:
    setattr(settings, name, value)
    assert complaints() == [f"chatapp.{name}"]
