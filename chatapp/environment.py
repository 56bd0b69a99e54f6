"""What the settings derive from environment variables: one small function a rule."""

import os
import secrets
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
WILDCARDS = ("0.0.0.0", "::", "[::]", "")  # noqa: S104  (compared with, never bound to)
NO_EMAIL = "django.core.mail.backends.dummy.EmailBackend"

# The first key that is set chooses the model when CHAT_MODEL does not.
KEY_MODELS = {
    "OPENAI_API_KEY": "openai:gpt-5-mini",
    "ANTHROPIC_API_KEY": "anthropic:claude-sonnet-4-5",
    "GEMINI_API_KEY": "google:gemini-2.5-flash",
}

SQLITE_PRAGMAS = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA temp_store=MEMORY;"


def is_loopback(host: str) -> bool:
    return host in ("localhost", "::1", "[::1]") or host.startswith("127.")


def database(url: str, *, var: Path, pool_size: int) -> dict[str, Any]:
    """Django's DATABASES entry for a DATABASE_URL; no URL means SQLite below `var`."""
    config: dict[str, Any] = dict(environ.Env.db_url_config(url or f"sqlite:///{var / 'chatapp.sqlite3'}"))
    options = config.setdefault("OPTIONS", {})
    if config["ENGINE"] == "django.db.backends.sqlite3":
        # IMMEDIATE: a transaction that reads and then writes never meets "database is locked".
        options |= {"transaction_mode": "IMMEDIATE", "timeout": 20, "init_command": SQLITE_PRAGMAS}
        config["CONN_MAX_AGE"] = None
        config["TEST"] = {"NAME": str(var / f"test-{os.getpid()}.sqlite3")}
    elif config["ENGINE"] == "django.db.backends.postgresql":
        options["pool"] = {"min_size": 2, "max_size": pool_size, "timeout": 20}
        config |= {"CONN_MAX_AGE": 0, "CONN_HEALTH_CHECKS": True}
        config["TEST"] = {"NAME": f"test_chatapp_{os.getpid()}"}
    else:
        raise ImproperlyConfigured("DATABASE_URL must be sqlite:///… or postgres://…")
    return config


def is_sqlite(config: Mapping[str, Any]) -> bool:
    return str(config["ENGINE"]).endswith("sqlite3")


def secret_key(given: str, *, local: bool, var: Path) -> str:
    """The SECRET_KEY; for one local process it is generated once and kept in `var`."""
    if given:
        return given
    if not local:
        raise ImproperlyConfigured(
            "SECRET_KEY must be set when DATABASE_URL is not SQLite or PUBLIC_URL is set. "
            'One can be made with: python -c "import secrets; print(secrets.token_urlsafe(50))"'
        )
    return _kept_secret(var / "secret_key")


def _kept_secret(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(50))
        _link_once(draft, path)
    return path.read_text().strip()


def _link_once(draft: Path, path: Path) -> None:
    """Names the finished draft `path` unless another process was first: nobody ever reads half a key."""
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()


def origin(url: str) -> str:
    """scheme://host[:port] of a PUBLIC_URL, or "" without one."""
    if not url:
        return ""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ImproperlyConfigured("PUBLIC_URL must be like https://chat.example.org")
    return f"{parts.scheme}://{parts.netloc}"


def allowed_hosts(given: list[str], *, host: str, public_url: str) -> list[str]:
    if given:
        return given
    hosts = [*LOOPBACK, *own_names(host)]
    if public_url:
        hosts.append(str(urlsplit(public_url).hostname))
    return list(dict.fromkeys(hosts))


def own_names(host: str) -> list[str]:
    """What a HOST adds to the allowed ones; one that means "every address" stands for this machine's name."""
    if host in WILDCARDS:
        return [socket.gethostname()]
    return [f"[{host}]" if ":" in host and not host.startswith("[") else host]


def chat_model(values: Mapping[str, str]) -> str:
    """CHAT_MODEL, else the model that goes with the first key that is set, else the demo assistant."""
    if values.get("CHAT_MODEL"):
        return values["CHAT_MODEL"]
    return next((model for key, model in KEY_MODELS.items() if values.get(key)), "demo")


def worker_defaults(max_runs: int) -> dict[str, Any]:
    """What `manage.py procrastinate worker` does unless its options say otherwise."""
    return {
        "concurrency": max_runs,
        "fetch_job_polling_interval": 1.0,  # jobs that are retried come without a notification
        "update_heartbeat_interval": 5.0,
        "stalled_worker_timeout": 20.0,
        "shutdown_graceful_timeout": 5.0,
        "delete_jobs": "successful",
    }


def channel_layer(redis_url: str) -> dict[str, Any]:
    if not redis_url:
        return {"BACKEND": "channels.layers.InMemoryChannelLayer"}
    return {"BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer", "CONFIG": {"hosts": [redis_url]}}


def cache(redis_url: str) -> dict[str, Any]:
    if not redis_url:
        return {
            "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
            "OPTIONS": {"MAX_ENTRIES": 10_000},
        }
    return {
        "BACKEND": "chatapp.cache.SharedCache",
        "LOCATION": redis_url,
        "KEY_PREFIX": "chatapp",
    }


def oidc_providers(values: Mapping[str, str]) -> dict[str, Any]:
    """allauth's SOCIALACCOUNT_PROVIDERS for OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and OIDC_NAME."""
    if not values.get("OIDC_ISSUER"):
        return {}
    app = {
        "provider_id": "oidc",
        "name": values.get("OIDC_NAME", "OpenID Connect"),
        "client_id": values.get("OIDC_CLIENT_ID", ""),
        "secret": values.get("OIDC_CLIENT_SECRET", ""),
        "settings": {"server_url": values["OIDC_ISSUER"]},
    }
    return {"openid_connect": {"APPS": [app], "OAUTH_PKCE_ENABLED": True}}


def oidc_origins(values: Mapping[str, str]) -> list[str]:
    """Where the login form may lead on to: browsers apply form-action to redirects too."""
    return [origin(values["OIDC_ISSUER"])] if values.get("OIDC_ISSUER") else []
