"""Empty databases of the kind that the suite runs on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from django.conf import settings


@contextmanager
def empty_database(folder: Path) -> Iterator[str]:
    """The URL of a database that is there only for the caller; the folder's path names it."""
    config = settings.DATABASES["default"]
    if config["ENGINE"].endswith("sqlite3"):
        yield f"sqlite:///{folder / 'chat.sqlite3'}"
        return
    where = f"{config['USER']}:{config['PASSWORD']}@{config['HOST']}:{config['PORT'] or 5432}"
    name = f"chatapp_process_{folder.parent.name}_{folder.name}".replace("-", "_").lower()[-60:]
    with psycopg.connect(f"postgres://{where}/postgres", autocommit=True) as admin:
        admin.execute(f'CREATE DATABASE "{name}"')
        yield f"postgres://{where}/{name}"
        admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
