"""What can be wrong with the configuration, said at the start and not at the first message."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register
from django.core.exceptions import ImproperlyConfigured

TAG = "chatapp"
SIGNUP = ("first", "open", "closed")
EXECUTORS = ("inprocess", "procrastinate")


@register(TAG)
def check_choices(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    chosen = {"SIGNUP": (settings.SIGNUP, SIGNUP), "RUN_EXECUTOR": (settings.RUN_EXECUTOR, EXECUTORS)}
    return [
        Error(f"{name}={value!r} is not known.", hint=f"One of: {', '.join(known)}.", id=f"chatapp.{name}")
        for name, (value, known) in chosen.items()
        if value not in known
    ]


@register(TAG)
def check_workers(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """What web processes and workers need between them: a queue, and a way to the open pages."""
    if settings.RUN_EXECUTOR != "procrastinate":
        return []
    needs = [
        ("DATABASE_URL", "Postgres", settings.IS_SQLITE),
        ("REDIS_URL", "Redis", not settings.REDIS_URL),
    ]
    return [
        Error(
            f"RUN_EXECUTOR='procrastinate' needs {server}.",
            hint=f"Set {name} to a {server}, or leave RUN_EXECUTOR out.",
            id=f"chatapp.{name}",
        )
        for name, server, is_missing in needs
        if is_missing
    ]


@register(TAG)
def check_assistants(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    from chatapp.assistants import all_assistants

    try:
        all_assistants()
    except ImproperlyConfigured as error:
        return [Error(str(error), id="chatapp.ASSISTANTS")]
    return []
