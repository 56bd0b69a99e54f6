"""`python -m benchmarks [NAME …] [--json FILE]`"""

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.table import Row, print_table, write_json

DEFAULT_JSON = Path("var/bench.json")


def benches() -> dict[str, Callable[[], Iterator[Row]]]:
    """By name; imported only when Django has been set up."""
    from benchmarks import requests, storage, streaming

    return {
        "step-save": storage.step_save,
        "thread-open": storage.thread_open,
        "thread-list": storage.thread_list,
        "handler": requests.handler,
        "streaming": streaming.streaming,
    }


def prepare(folder: str) -> None:
    """An empty place to measure in: SQLite in a new folder, or the empty database of BENCH_DATABASE_URL."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "chatapp.settings"
    os.environ["VAR_DIR"] = folder
    os.environ["DATABASE_URL"] = os.environ.get("BENCH_DATABASE_URL", "")
    os.environ["ALLOWED_HOSTS"] = "localhost,127.0.0.1,testserver"
    os.environ.setdefault("SECRET_KEY", "only-for-benchmarks-" + "x" * 40)
    import django

    django.setup()
    from chatapp.prepare import prepare as prepare_database

    prepare_database()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("names", nargs="*", help="which (default: all)")
    parser.add_argument("--json", type=Path, default=DEFAULT_JSON, help=f"where to (default: {DEFAULT_JSON})")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="chatapp-bench-") as folder:
        prepare(folder)
        rows = run(arguments.names or list(benches()))
    write_json(rows, arguments.json)
    print(f"The same as JSON: {arguments.json}")
    return 0


def run(names: list[str]) -> list[Row]:
    rows: list[Row] = []
    for name in names:
        found = list(benches()[name]())
        print_table(found)
        rows += found
    return rows


if __name__ == "__main__":
    sys.exit(main())
