"""`make test`: the suite on SQLite, in the browser, and again on Postgres and Redis, as far as they answer.

One pass is about RUN_EXECUTOR=procrastinate. With that in the environment, all on Postgres have workers.

What is skipped is named with its reason; with CI=true a skip is a failure. Each pass is an invocation of its
own, since the browser tests run an event loop in a thread, and has a database of its own: two of them run
side by side.
"""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

RESULTS = Path("test-results")
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")
LOCAL_POSTGRES = "postgres://postgres@127.0.0.1:5432/postgres"
LOCAL_REDIS = "redis://127.0.0.1:6379/15"
WITHOUT_WORKERS = {"RUN_EXECUTOR": "inprocess"}  # these need Postgres
KINDS = ("failures", "errors", "skipped")
LONGEST = 1800  # seconds of a pass
SIDE_BY_SIDE = 2  # much of a test's time is waiting


@dataclass(frozen=True, slots=True)
class Pass:
    """One invocation of pytest, or the reason why there is none."""

    name: str
    paths: tuple[str, ...]
    env: dict[str, str] = field(default_factory=dict)
    missing: str = ""


def passes() -> list[Pass]:
    """The long ones first, so that the short ones fill the end."""
    services, without = services_env()
    no_chromium = "" if any(map(shutil.which, CHROMIUMS)) else "no Chromium was found"
    plain, browser = ("tests", "--ignore=tests/browser"), ("tests/browser",)
    on_services = (*plain, "-m", "services")  # what asks neither is the same on all of them
    # With workers: only what an assistant answers, and the workers themselves; the rest knows no executor.
    with_workers = ("tests/chatapp", "tests/process/test_workers.py", "-m", "runs")
    return [
        Pass("Postgres and Redis", on_services, services, without),
        Pass("SQLite", plain, WITHOUT_WORKERS),
        Pass(
            "browser on Postgres and Redis",
            browser,
            services,
            without or no_chromium,
        ),
        Pass("browser", browser, WITHOUT_WORKERS, no_chromium),
        Pass(
            "Postgres and Redis, with workers",
            with_workers,
            {**services, "RUN_EXECUTOR": "procrastinate"},
            without,
        ),
    ]


def services_env() -> tuple[dict[str, str], str]:
    """Where Postgres and Redis are, and what is missing of them."""
    database, no_postgres = service("TEST_DATABASE_URL", LOCAL_POSTGRES, 5432, "Postgres")
    redis, no_redis = service("TEST_REDIS_URL", LOCAL_REDIS, 6379, "Redis")
    return {"DATABASE_URL": database, "REDIS_URL": redis}, no_postgres or no_redis


def service(variable: str, local: str, port: int, name: str) -> tuple[str, str]:
    if url := os.environ.get(variable):
        return url, ""
    with socket.socket() as probe:
        probe.settimeout(1)
        answers = probe.connect_ex(("127.0.0.1", port)) == 0
    return local, "" if answers else f"no {name}: {variable} is not set, and nothing answers on port {port}"


def run(one: Pass) -> Counter[str]:
    """Prints what pytest said when it has said all of it: another pass runs beside it."""
    started = time.monotonic()
    name = re.sub(r"\W+", "-", one.name.lower())
    report, files = RESULTS / f"{name}.xml", RESULTS / name
    status, said = outcome_of(
        [
            *(sys.executable, "-m", "pytest", *one.paths, "-rs", f"--junitxml={report}"),
            *("-o", f"cache_dir={RESULTS / f'cache-{name}'}", f"--output={files}"),
            *sys.argv[1:],
        ],
        {**os.environ, **one.env},
    )
    print(f"\n--- {one.name}, {time.monotonic() - started:.0f} s\n{said}", flush=True)
    counts = counts_of(report)
    if status and not counts["failures"] and not counts["errors"]:
        counts["errors"] += 1
    return counts


def outcome_of(command: list[str], environment: dict[str, str]) -> tuple[int, str]:
    """Its exit status and what it said; a pass that hangs is ended."""
    pipe, both = subprocess.PIPE, subprocess.STDOUT
    with subprocess.Popen(command, env=environment, stdout=pipe, stderr=both) as process:
        try:
            said, _ = process.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            process.kill()
            said, _ = process.communicate()
            said += f"\nended after {LONGEST} s\n".encode()
    return process.returncode, said.decode(errors="replace")


def counts_of(report: Path) -> Counter[str]:
    if not report.exists():
        return Counter()
    suites = list(ElementTree.parse(report).iter("testsuite"))
    return Counter({kind: sum(int(s.get(kind, 0)) for s in suites) for kind in ("tests", *KINDS)})


def closing_line(total: Counter[str], seconds: float) -> str:
    """As pytest's own, over all passes."""
    passed = total["tests"] - sum(total[kind] for kind in KINDS)
    named = {
        "failed": total["failures"],
        "passed": passed,
        "skipped": total["skipped"],
        "errors": total["errors"],
    }
    words = ", ".join(f"{count} {name}" for name, count in named.items() if count or name == "passed")
    return f"{f' {words} in {seconds:.2f}s ':=^80}"


def main() -> int:
    shutil.rmtree(RESULTS, ignore_errors=True)
    RESULTS.mkdir()
    started, wanted = time.monotonic(), passes()
    missing = [f"SKIPPED {one.name}: {one.missing}" for one in wanted if one.missing]
    with ThreadPoolExecutor(SIDE_BY_SIDE) as side_by_side:
        there = [one for one in wanted if not one.missing]
        total = sum(side_by_side.map(run, there), Counter[str]())
    print("", *missing, closing_line(total, time.monotonic() - started), sep="\n")
    is_skipped = missing or total["skipped"]
    in_ci = os.environ.get("CI") == "true"
    return int(bool(total["failures"] or total["errors"] or (in_ci and is_skipped)))


if __name__ == "__main__":
    sys.exit(main())
