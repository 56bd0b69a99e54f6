"""The chaos bench in its short form: a handful of kills, and everything must be in its place after them."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings

from benchmarks.chaos.campaign import campaign
from benchmarks.chaos.database import Postgres
from benchmarks.chaos.deployment import Deployment, on_sqlite
from benchmarks.chaos.options import Options


@pytest.fixture
def deployment(tmp_path: Path) -> Deployment:
    """As the suite runs: one process on SQLite, else two servers, with a worker if runs wait for one."""
    config = settings.DATABASES["default"]
    if settings.IS_SQLITE:
        return on_sqlite(tmp_path)
    url = (
        f"postgres://{config['USER']}:{config['PASSWORD']}@{config['HOST']}:{config['PORT'] or 5432}/postgres"
    )
    name = f"chatapp_chaos_{tmp_path.parent.name}_{tmp_path.name}".replace("-", "_").lower()[-60:]
    few = {"WEB_THREADS": "8"}
    workers = 1 if settings.RUN_EXECUTOR == "procrastinate" else 0
    servers = 2 if settings.REDIS_URL else 1
    return Deployment("the suite's", Postgres(url, name), servers, workers, settings.REDIS_URL, few)


@pytest.mark.slow
async def test_nothing_is_lost_or_doubled_under_random_kills(deployment: Deployment, tmp_path: Path) -> None:
    options = Options(seed=5, kills=5, seconds=20, people=3, calm_seconds=20, results=tmp_path / "results")
    report = await campaign(options, deployment, tmp_path)
    assert report.violations == []
    assert report.faults  # how many there is time for depends on the machine
    assert all(report.counts[what] > 10 for what in ("messages", "runs", "frames", "stored frames"))
