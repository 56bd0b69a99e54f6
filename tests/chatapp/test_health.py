"""What load balancers and supervisors are told."""

import pytest
from django.test import Client
from pytest_django import Settings

from chatapp import health


def test_the_process_is_alive_without_a_database(anonymous: Client) -> None:
    answer = anonymous.get("/livez")
    assert (answer.status_code, answer.json()) == (200, {"status": "alive"})
    assert "no-store" in answer.headers["Cache-Control"]


@pytest.mark.django_db
def test_it_is_ready_when_all_checks_pass(anonymous: Client) -> None:
    answer = anonymous.get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (200, "ready")


@pytest.mark.django_db
def test_it_is_not_ready_without_its_services(
    anonymous: Client, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    settings.CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": "redis://127.0.0.1:1/0",
        }
    }
    answer = anonymous.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["checks"] == {"database": True, "redis": False}
    assert [record.exc_info for record in caplog.records if record.name == health.__name__] == [None]


def test_https_does_not_redirect_the_probes(anonymous: Client, settings: Settings) -> None:
    settings.SECURE_SSL_REDIRECT = True
    assert anonymous.get("/livez").status_code == 200
