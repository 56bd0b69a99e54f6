"""What must be true before the first request: the tables are up to date, the static files collected."""

import fcntl
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import CommandError, call_command
from django.db import InterfaceError, OperationalError, connection
from django.db.migrations.executor import MigrationExecutor

LOCK_KEY = 0x63686174  # any number, the same in every process
FINGERPRINT = ".sources"


def prepare() -> None:
    """Does what is missing, once, however many processes start at the same time."""
    prepare_database()
    if not settings.STATIC_FROM_SOURCE:
        with only_process_here():
            collect_static()


def prepare_database() -> None:
    """The tables alone, for a process that serves no pages."""
    with only_process_here(), only_process_on_database():
        migrate()


@contextmanager
def needs_database() -> Iterator[None]:
    """For what cannot start without it: that it is away is one line, and a supervisor starts it again."""
    try:
        yield
    except (OperationalError, InterfaceError) as error:
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise CommandError(f"The database cannot be used: {reason}") from error


def migrate() -> None:
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", interactive=False, verbosity=0)


def collect_static() -> None:
    mark = Path(settings.STATIC_ROOT) / FINGERPRINT
    state = fingerprint(source_files())
    if not mark.exists() or mark.read_text() != state:
        call_command("collectstatic", interactive=False, verbosity=0)
        mark.write_text(state)


def source_files() -> Iterator[Path]:
    for finder in get_finders():
        for path, storage in finder.list([]):
            yield Path(storage.path(path))


def fingerprint(files: Iterator[Path]) -> str:
    """Changes when a file comes, goes or is written; 1,000 files take a few milliseconds."""
    lines = [line_of(path) for path in files]
    lines.append(settings.STORAGES["staticfiles"]["BACKEND"])
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()


def line_of(path: Path) -> str:
    stat = path.stat()
    return f"{path}:{stat.st_size}:{stat.st_mtime_ns}"


@contextmanager
def only_process_here() -> Iterator[None]:
    with (settings.VAR_DIR / "prepare.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def only_process_on_database() -> Iterator[None]:
    """Servers of other hosts on the same Postgres; SQLite has no other hosts."""
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [LOCK_KEY])
        try:
            yield
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK_KEY])
