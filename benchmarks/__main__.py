"""`python -m benchmarks [SECTION …] [--on sqlite,postgres] [--repeat N] [--json FILE] [--profile FILE]`"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psycopg

from benchmarks.figures import Figure, cells_of, print_table, write_json
from benchmarks.places import Place, Sqlite, new_postgres
from benchmarks.sections import SECTIONS
from benchmarks.stage import staged

DEFAULT_JSON = Path("var/bench.json")
SECTION_SECONDS = 150
ALL_SECONDS = 600
WITHOUT_SERVER = ("raw",)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("sections", nargs="*", help=f"of {', '.join(SECTIONS)} (default: all)")
    parser.add_argument("--on", default="sqlite,postgres", help="which databases (default: both)")
    parser.add_argument("--repeat", type=int, default=1, help="how often; the medians are shown")
    parser.add_argument("--json", type=Path, default=DEFAULT_JSON, help=f"where to (default: {DEFAULT_JSON})")
    parser.add_argument("--profile", type=Path, help="where the server's samples go, as collapsed stacks")
    given = parser.parse_args()
    if unknown := set(given.sections) - set(SECTIONS):
        parser.error(f"no such section: {', '.join(sorted(unknown))}")
    return given


@contextmanager
def places(names: str) -> Iterator[Iterator[Place]]:
    """Each is made when it is come to, and gone when the next one is."""
    with tempfile.TemporaryDirectory(prefix="chatapp-bench-") as folder:
        yield places_in(Path(folder), names.split(","))


def places_in(folder: Path, names: list[str]) -> Iterator[Place]:
    if "sqlite" in names:
        yield Sqlite(folder)
    if "postgres" in names:
        try:
            with new_postgres() as place:
                yield place
        except psycopg.OperationalError as error:
            print(f"SKIPPED Postgres and Redis: {error}")


async def measure(place: Place, given: argparse.Namespace, ends_at: float) -> list[Figure]:
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="chatapp-bench-") as name:
        async with staged(place, Path(name), repeat=given.repeat, profile=given.profile) as stage:
            for section in given.sections or SECTIONS:
                left = min(SECTION_SECONDS * given.repeat, ends_at - time.monotonic())
                try:
                    async with asyncio.timeout(left):
                        async for figure in SECTIONS[section](stage):
                            figures.append(replace(figure, on=place.name))
                            print("  ".join(cell for cell in cells_of(figure)[:5] if cell), flush=True)
                except TimeoutError:
                    print(f"SKIPPED the rest of {section}: out of time")
    return figures


def main() -> int:
    given = arguments()
    ends_at = time.monotonic() + ALL_SECONDS * given.repeat
    figures: list[Figure] = []
    with places(given.on) as found:
        for place in found:
            print(f"\n{place.name}: {', '.join(given.sections or SECTIONS)}", flush=True)
            figures += asyncio.run(measure(place, given, ends_at))
    print_table(figures)
    write_json(figures, given.json)
    print(f"The same as JSON: {given.json}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
