"""Databases of the kind that the suite runs on, each for one test."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from django.conf import settings


@contextmanager
def empty_database(folder: Path) -> Iterator[str]:
    """The URL of a database that is there only for the caller; the folder's path names it."""
    if settings.IS_SQLITE:
        yield f"sqlite:///{folder / 'chat.sqlite3'}"
    else:
        with _on_postgres(folder, "template0") as url:
            yield url


@contextmanager
def copied_database(url: str, folder: Path) -> Iterator[str]:
    """The same with what another one holds, which nobody may have open."""
    if settings.IS_SQLITE:
        file = folder / "chat.sqlite3"
        shutil.copyfile(url.removeprefix("sqlite:///"), file)
        yield f"sqlite:///{file}"
    else:
        with _on_postgres(folder, url.rpartition("/")[2]) as copy:
            yield copy


@contextmanager
def _on_postgres(folder: Path, template: str) -> Iterator[str]:
    config = settings.DATABASES["default"]
    where = f"{config['USER']}:{config['PASSWORD']}@{config['HOST']}:{config['PORT'] or 5432}"
    name = f"chatapp_process_{folder.parent.name}_{folder.name}".replace("-", "_").lower()[-60:]
    with psycopg.connect(f"postgres://{where}/postgres", autocommit=True) as admin:
        admin.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        yield f"postgres://{where}/{name}"
        admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
