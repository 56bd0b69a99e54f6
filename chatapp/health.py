"""For load balancers and supervisors: `/livez` (the process answers), `/readyz` (it can do its work)."""

import logging
from collections.abc import Callable

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.cache import caches
from django.db import connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache

logger = logging.getLogger(__name__)


@login_not_required
@never_cache
def livez(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"status": "alive"})


@login_not_required
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """Redis is told of and does not decide: without it every process works, and none works better."""
    checks = {name: passes(name, check) for name, check in CHECKS.items()}
    ready = checks["database"]
    return JsonResponse(
        {"status": "ready" if ready else "not ready", "checks": checks}, status=200 if ready else 503
    )


def passes(name: str, check: Callable[[], None]) -> bool:
    try:
        check()
    except Exception as error:  # noqa: BLE001  (whatever it is, it does not pass)
        logger.warning("readyz: %s: %s", name, error)
        return False
    return True


def ask_database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def ask_redis() -> None:
    if settings.REDIS_URL:
        caches["default"].ping()  # type: ignore[attr-defined]


CHECKS = {"database": ask_database, "redis": ask_redis}
