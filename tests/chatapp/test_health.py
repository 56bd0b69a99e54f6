"""What load balancers and supervisors are told."""

import pytest
from django.db import OperationalError
from django.test import Client
from pytest_django import Settings

from chatapp import environment, health

pytestmark = pytest.mark.services


def test_the_process_is_alive_without_a_database(anonymous: Client) -> None:
    answer = anonymous.get("/livez")
    assert (answer.status_code, answer.json()) == (200, {"status": "alive"})
    assert "no-store" in answer.headers["Cache-Control"]


@pytest.mark.django_db
def test_it_is_ready_when_all_checks_pass(anonymous: Client) -> None:
    answer = anonymous.get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (200, "ready")


def away() -> None:
    raise OperationalError("connection refused")


@pytest.mark.django_db
def test_it_is_not_ready_without_its_database(
    anonymous: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(health.CHECKS, "database", away)
    answer = anonymous.get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (503, "not ready")
    assert answer.json()["checks"] == {"database": False, "redis": True}
    assert [record.exc_info for record in caplog.records if record.name == health.__name__] == [None]


@pytest.mark.django_db
def test_it_is_ready_without_redis_and_says_so(anonymous: Client, settings: Settings) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    settings.CACHES = {"default": environment.cache(settings.REDIS_URL)}
    answer = anonymous.get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (200, "ready")
    assert answer.json()["checks"] == {"database": True, "redis": False}


def test_https_does_not_redirect_the_probes(anonymous: Client, settings: Settings) -> None:
    settings.SECURE_SSL_REDIRECT = True
    assert anonymous.get("/livez").status_code == 200
