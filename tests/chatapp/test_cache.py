"""The shared cache while Redis is away: nobody is stopped by it."""

import logging
from contextvars import copy_context

import pytest
from django.core.cache import cache, caches
from django.test import Client
from pytest_django import Settings

from chatapp import environment
from tests.conftest import PASSWORD

pytestmark = pytest.mark.services


@pytest.fixture(autouse=True)
def no_redis(settings: Settings) -> None:
    settings.CACHES = {"default": environment.cache("redis://127.0.0.1:1/0")}


def test_it_is_like_an_empty_one(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chatapp.cache.logger", logging.getLogger(__name__))  # one that says it every time
    assert cache.add("a", 1) is True
    cache.set("a", 1, timeout=0)
    cache.set_many({"a": 1})
    assert (cache.get("a"), cache.get("a", "none"), cache.get_many(["a"])) == (None, "none", {})
    assert not any([cache.has_key("a"), cache.touch("a"), cache.delete("a")])
    assert cache.incr("a") == 1
    cache.delete_many(["a"])
    cache.clear()
    lines = [record for record in caplog.records if record.name == __name__]
    assert len(lines) == 12
    assert all(line.exc_info is None for line in lines)


@pytest.mark.django_db
def test_commands_are_let_through(client: Client, settings: Settings) -> None:
    settings.SEND_LIMIT = 1
    answers = [client.post("/threads/", {}, headers={"accept": "application/json"}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [400, 400]


@pytest.mark.django_db
def test_so_are_logins(anonymous: Client, user, settings: Settings) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"login": "30/m/ip", "login_failed": "10/m/ip"}
    answer = anonymous.post("/accounts/login/", {"login": user.username, "password": PASSWORD})
    assert answer.status_code == 302


def test_requests_share_its_connections() -> None:
    first, second = (copy_context().run(lambda: caches["default"]) for _ in range(2))
    assert first is not second
    assert vars(first)["_cache"] is vars(second)["_cache"]
