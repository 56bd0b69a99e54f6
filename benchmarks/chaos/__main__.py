"""`make chaos`, or `python -m benchmarks.chaos`, as SEED, KILLS, DURATION, PEOPLE and ON say."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import tempfile
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.chaos.campaign import campaign
from benchmarks.chaos.deployment import Deployment, on_postgres, on_sqlite
from benchmarks.chaos.options import Options, options_of_environment, wanted_deployments
from benchmarks.chaos.report import Report, print_report, write_json


def deployments(options: Options) -> Iterator[tuple[Path, Deployment]]:
    """Each with a folder of its own."""
    for wanted in wanted_deployments():
        with new_folder() as folder:
            found = found_deployment(wanted, folder, options)
            if isinstance(found, Deployment):
                yield folder, found
            else:
                print(f"SKIPPED {wanted}: {found}")


def found_deployment(wanted: str, folder: Path, options: Options) -> Deployment | str:
    if wanted == "sqlite":
        return on_sqlite(folder)
    workers = 2 if wanted == "workers" else 0
    return on_postgres(f"chatapp_chaos_{options.seed}_{os.getpid()}", workers=workers)


@contextmanager
def new_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="chatapp-chaos-") as place:
        yield Path(place)


async def until_told(work: Coroutine[Any, Any, Report]) -> Report:
    """SIGTERM ends it as ^C does: with everything that it has started."""
    task = asyncio.ensure_future(work)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await task


def run(options: Options) -> list[Report]:
    reports: list[Report] = []
    for folder, deployment in deployments(options):
        reports.append(asyncio.run(until_told(campaign(options, deployment, folder))))
        print_report(reports[-1])
    return reports


def main() -> int:
    # A client that was killed is what this is about, and not worth a traceback of the fake server.
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)
    options = options_of_environment()
    print(f"Seed {options.seed}, {options.kills} kills on each database", flush=True)
    reports = run(options)
    print(f"The same as JSON: {write_json(reports, options.results)}")
    violations = sum(len(report.violations) for report in reports)
    print(f"{violations} violations")
    return int(bool(violations) or not reports)


if __name__ == "__main__":
    sys.exit(main())
