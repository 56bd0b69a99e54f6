"""The rules of the environment, one by one, and the settings as a whole in a process of their own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from chatapp import environment

REPORT = """
import json
from django.conf import settings
names = {names!r}
print(json.dumps({{name: getattr(settings, name) for name in names}}, default=str))
"""


def settings_with(*names: str, **env: str) -> dict[str, object]:
    """These settings as a fresh process has them, under exactly these variables."""
    environ = {"PATH": os.environ["PATH"], "DJANGO_SETTINGS_MODULE": "chatapp.settings", **env}
    code = REPORT.format(names=list(names))
    done = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True
    )
    values: dict[str, object] = json.loads(done.stdout)
    return values


def test_sqlite_is_the_default_and_takes_its_write_lock_at_once(tmp_path: Path) -> None:
    config = environment.database("", var=tmp_path, pool_size=9)
    assert config["NAME"] == str(tmp_path / "chatapp.sqlite3")
    assert config["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert "journal_mode=WAL" in config["OPTIONS"]["init_command"]


def test_postgres_has_a_pool(tmp_path: Path) -> None:
    config = environment.database("postgres://me@db.example.org:5433/chat", var=tmp_path, pool_size=9)
    assert (config["HOST"], config["PORT"], config["NAME"]) == ("db.example.org", 5433, "chat")
    assert config["OPTIONS"]["pool"]["max_size"] == 9


def test_other_databases_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured):
        environment.database("mysql://me@db/chat", var=tmp_path, pool_size=9)


def test_a_local_key_is_made_once_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    var = tmp_path / "var"
    first = environment.secret_key("", local=True, var=var)
    assert len(first) >= 50
    assert environment.secret_key("", local=True, var=var) == first
    assert (var / "secret_key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in var.iterdir()] == ["secret_key"]


def test_a_given_key_is_used_as_it_is(tmp_path: Path) -> None:
    assert environment.secret_key("mine", local=False, var=tmp_path) == "mine"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "env", [{"PUBLIC_URL": "https://chat.example.org"}, {"DATABASE_URL": "postgres://me@db/chat"}]
)
def test_a_deployment_must_bring_its_key(env: dict[str, str]) -> None:
    with pytest.raises(subprocess.CalledProcessError) as caught:
        settings_with("SECRET_KEY", **env)
    assert "SECRET_KEY must be set" in caught.value.stderr


@pytest.mark.parametrize(
    ("given", "host", "public_url", "hosts"),
    [
        ([], "127.0.0.1", "", ["localhost", "127.0.0.1", "[::1]"]),
        ([], "10.1.2.3", "", ["localhost", "127.0.0.1", "[::1]", "10.1.2.3"]),
        ([], "::1", "", ["localhost", "127.0.0.1", "[::1]"]),
        (
            [],
            "127.0.0.1",
            "https://chat.example.org:8443/",
            ["localhost", "127.0.0.1", "[::1]", "chat.example.org"],
        ),
        (["only.example.org"], "10.1.2.3", "", ["only.example.org"]),
    ],
)
def test_allowed_hosts(given: list[str], host: str, public_url: str, hosts: list[str]) -> None:
    assert environment.allowed_hosts(given, host=host, public_url=public_url) == hosts


@pytest.mark.parametrize(
    ("values", "model"),
    [
        ({}, "demo"),
        ({"CHAT_MODEL": "openai:mine"}, "openai:mine"),
        ({"CHAT_MODEL": "demo", "OPENAI_API_KEY": "k"}, "demo"),
        ({"ANTHROPIC_API_KEY": "k"}, environment.KEY_MODELS["ANTHROPIC_API_KEY"]),
        ({"CHAT_MODEL": "", "OPENAI_API_KEY": ""}, "demo"),
    ],
)
def test_chat_model(values: dict[str, str], model: str) -> None:
    assert environment.chat_model(values) == model


@pytest.mark.parametrize("url", ["chat.example.org", "ftp://chat.example.org", "https://"])
def test_a_public_url_needs_scheme_and_host(url: str) -> None:
    with pytest.raises(ImproperlyConfigured):
        environment.origin(url)


def test_https_secures_cookies_and_redirects() -> None:
    names = ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SECURE_SSL_REDIRECT", "CSRF_TRUSTED_ORIGINS")
    values = settings_with(*names, PUBLIC_URL="https://chat.example.org", SECRET_KEY="k" * 50)
    assert values == dict(zip(names, (True, True, True, ["https://chat.example.org"]), strict=True))


def test_plain_http_works_without_any_variable() -> None:
    names = ("SESSION_COOKIE_SECURE", "SECURE_SSL_REDIRECT", "SECURE_HSTS_SECONDS", "DEBUG", "HOST", "PORT")
    assert settings_with(*names) == dict(zip(names, (False, False, 0, False, "127.0.0.1", 8000), strict=True))


def test_without_mail_nothing_is_verified_or_sent() -> None:
    values = settings_with("EMAIL_BACKEND", "ACCOUNT_EMAIL_VERIFICATION")
    assert values == {"EMAIL_BACKEND": environment.NO_EMAIL, "ACCOUNT_EMAIL_VERIFICATION": "none"}


def test_mail_is_sent_where_email_url_says() -> None:
    values = settings_with("EMAIL_HOST", "EMAIL_PORT", EMAIL_URL="smtp://mail.example.org:2525")
    assert values == {"EMAIL_HOST": "mail.example.org", "EMAIL_PORT": 2525}


def test_rate_limits_can_be_switched_off() -> None:
    assert settings_with("ACCOUNT_RATE_LIMITS", RATE_LIMITS="0") == {"ACCOUNT_RATE_LIMITS": False}


def test_redis_carries_layer_and_cache() -> None:
    values = settings_with("CHANNEL_LAYERS", "CACHES", REDIS_URL="redis://127.0.0.1:6379/0")
    assert "RedisPubSubChannelLayer" in str(values["CHANNEL_LAYERS"])
    assert "SharedCache" in str(values["CACHES"])


def test_an_identity_provider_is_offered_only_when_configured() -> None:
    assert environment.oidc_providers({}) == {}
    assert environment.oidc_origins({"OIDC_ISSUER": "https://id.example.org/realm"}) == [
        "https://id.example.org"
    ]
