"""What is put under stress: a database, what carries messages, and a list of processes.

A further kind of process is one more Command in the list: its arguments, its environment, and a port where it
serves pages.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.chaos.database import Database, Postgres, Sqlite, with_place
from benchmarks.chaos.plan import Kind
from benchmarks.chaos.process import Command
from benchmarks.chaos.proxy import Proxy

LOCAL_POSTGRES = "postgres://postgres@127.0.0.1:5432/postgres"
LOCAL_REDIS = "redis://127.0.0.1:6379/14"
SERVE = ("manage.py", "serve")
WORK = ("manage.py", "procrastinate", "worker")
WORKS = "Working: "
OTHERS_NAMES = ("OPENAI_", "DJANGO_", "ANTHROPIC_", "GEMINI_", "OIDC_")
OTHERS = frozenset(
    {"CHAT_MODEL", "PUBLIC_URL", "EMAIL_URL", "HOST", "DEBUG", "ALLOWED_HOSTS", "RUN_EXECUTOR"}
)


@dataclass(slots=True)
class Deployment:
    """`web`, `workers`: how many of each. `environment`: what all of its processes get on top."""

    name: str
    database: Database
    web: int = 1
    workers: int = 0
    redis_url: str = ""
    environment: dict[str, str] = field(default_factory=dict)
    proxies: dict[str, Proxy] = field(default_factory=dict)

    @property
    def faults_around(self) -> list[Kind]:
        kinds: list[Kind] = ["database stalls"]
        kinds += ["database cut off"] if "database" in self.proxies else []
        return [*kinds, "Redis away"] if "redis" in self.proxies else kinds

    async def open(self) -> None:
        self.database.create()
        for proxy in self.proxies.values():
            await proxy.start()
        if isinstance(self.database, Postgres) and "database" in self.proxies:
            self.database.behind(self.proxies["database"].port)
        if "redis" in self.proxies:
            self.redis_url = with_place(self.redis_url, port=self.proxies["redis"].port)

    async def close(self) -> None:
        for proxy in self.proxies.values():
            await proxy.stop()
        self.database.drop()

    def commands(self, folder: Path, model_url: str) -> list[Command]:
        """What is to be started, each with all that it needs to know."""
        shared = {
            **clean_environment(os.environ),
            "DATABASE_URL": self.database.url,
            "REDIS_URL": self.redis_url,
            "SECRET_KEY": "only-for-the-chaos-bench-0123456789-0123456789-0123456789",
            "VAR_DIR": str(folder / "var"),
            "SIGNUP": "open",
            "RATE_LIMITS": "0",
            "ASSISTANTS": "benchmarks.chaos.assistant:helper",
            "OPENAI_BASE_URL": model_url,
            "EFFECTS": str(folder / "effects"),
            **self.environment,
        }
        if self.workers:
            shared["RUN_EXECUTOR"] = "procrastinate"
        return [
            *(web_command(f"web{number + 1}", shared) for number in range(self.web)),
            *(Command(f"worker{number + 1}", WORK, shared, greeting=WORKS) for number in range(self.workers)),
        ]


def web_command(name: str, shared: Mapping[str, str]) -> Command:
    port = free_port()
    return Command(name, SERVE, {**shared, "PORT": str(port)}, port)


def clean_environment(given: Mapping[str, str]) -> dict[str, str]:
    """What this machine says of models and addresses is not for the servers of a bench."""
    return {
        name: value
        for name, value in given.items()
        if name not in OTHERS and not name.startswith(OTHERS_NAMES)
    }


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def on_sqlite(folder: Path) -> Deployment:
    return Deployment("SQLite, one process", Sqlite(folder))


def on_postgres(database_name: str, *, workers: int) -> Deployment | str:
    """Two servers, and so many workers that execute their runs; or why that cannot be had."""
    postgres = os.environ.get("TEST_DATABASE_URL") or LOCAL_POSTGRES
    redis = os.environ.get("TEST_REDIS_URL") or LOCAL_REDIS
    missing = [url for url in (postgres, redis) if not answers(url)]
    if missing:
        return f"nothing answers at {' and '.join(map(without_login, missing))}"
    database = Postgres(postgres, database_name)
    proxies = {"database": Proxy(*database.place), "redis": Proxy(*place_of(redis, 6379))}
    few = {"WEB_THREADS": "12"}  # a Postgres as it comes has room for 100 connections, of everybody
    name = "Postgres and Redis, two servers" + (f" and {workers} workers" if workers else "")
    return Deployment(name, database, 2, workers, redis, environment=few, proxies=proxies)


def place_of(url: str, port: int) -> tuple[str, int]:
    parts = urlsplit(url)
    return parts.hostname or "127.0.0.1", parts.port or port


def answers(url: str) -> bool:
    host, port = place_of(url, 5432 if url.startswith("postgres") else 6379)
    try:
        with socket.create_connection((host, port), timeout=1):
            return True
    except OSError:
        return False


def without_login(url: str) -> str:
    return urlsplit(url).netloc.rpartition("@")[2]
