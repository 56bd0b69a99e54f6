"""`python -m benchmarks [SECTION …] [--on sqlite,postgres] [--json FILE]`; `--help` says the rest."""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import psycopg

from benchmarks.figures import Figure, cells_of, print_table, write_json
from benchmarks.places import Place, Postgres, PostgresAndWorker, Sqlite, new_postgres
from benchmarks.sections import SECTIONS
from benchmarks.stage import Stage, staged

ON_POSTGRES = {"postgres": Postgres, "workers": PostgresAndWorker}
DEFAULT_JSON = Path("var/bench.json")
SECTION_SECONDS = 150
REST = 11.0  # longer than the time between two heartbeats
ALL_SECONDS = 600


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("sections", nargs="*", help=f"of {', '.join(SECTIONS)} (default: all)")
    parser.add_argument("--on", default="sqlite,postgres", help="where: sqlite, postgres, workers")
    parser.add_argument("--repeat", type=int, default=1, help="how often; the medians are shown")
    parser.add_argument("--rest", type=float, default=REST, help="seconds for which idle sockets are watched")
    parser.add_argument("--json", type=Path, default=DEFAULT_JSON, help=f"where to (default: {DEFAULT_JSON})")
    parser.add_argument("--profile", type=Path, help="where the server's samples go, as collapsed stacks")
    given = parser.parse_args()
    if unknown := set(given.sections) - set(SECTIONS):
        parser.error(f"no such section: {', '.join(sorted(unknown))}")
    if unknown := set(given.on.split(",")) - {"sqlite", *ON_POSTGRES}:
        parser.error(f"no such place: {', '.join(sorted(unknown))}")
    return given


def places(folder: Path, names: list[str]) -> Iterator[Place]:
    """Each is made when it is come to, and gone when the next one is."""
    for name in names:
        if name == "sqlite":
            yield Sqlite(folder)
            continue
        try:
            with new_postgres(ON_POSTGRES[name]) as place:
                yield place
        except psycopg.OperationalError as error:
            print(f"SKIPPED {ON_POSTGRES[name].name}: {error}")


async def measure(place: Place, given: argparse.Namespace, ends_at: float) -> list[Figure]:
    """What all sections have found before the time was over."""
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="chatapp-bench-") as name:
        async with staged(
            place, Path(name), repeat=given.repeat, rest=given.rest, profile=given.profile
        ) as stage:
            for section in given.sections or SECTIONS:
                longest = SECTION_SECONDS * given.repeat + 2 * given.rest
                seconds = min(longest, ends_at - time.monotonic())
                async for figure in within(seconds, section, stage):
                    figures.append(figure)
                    print("  ".join(cell for cell in cells_of(figure)[:5] if cell), flush=True)
    return figures


async def within(seconds: float, section: str, stage: Stage) -> AsyncIterator[Figure]:
    """The section's figures; what goes wrong in one keeps no other from being measured."""
    try:
        async with asyncio.timeout(seconds):
            async for figure in SECTIONS[section](stage):
                yield replace(figure, on=stage.place.name)
    except TimeoutError:
        print(f"SKIPPED the rest of {section}: out of time")
    except (RuntimeError, AssertionError, OSError) as error:
        print(f"FAILED in {section}: {error!r}")


def main() -> int:
    given = arguments()
    ends_at = time.monotonic() + ALL_SECONDS * given.repeat + 4 * given.rest
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="chatapp-bench-") as folder:
        for place in places(Path(folder), given.on.split(",")):
            print(f"\n{place.name}: {', '.join(given.sections or SECTIONS)}", flush=True)
            figures += asyncio.run(measure(place, given, ends_at))
    print_table(figures)
    write_json(figures, given.json)
    print(f"The same as JSON: {given.json}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
