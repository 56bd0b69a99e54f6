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
    if settings.RUN_EXECUTOR == "procrastinate" and settings.IS_SQLITE:
        hint = "Set DATABASE_URL to a Postgres, or leave RUN_EXECUTOR out."
        return [Error("RUN_EXECUTOR='procrastinate' needs Postgres.", hint=hint, id="chatapp.DATABASE_URL")]
    return []


@register(TAG)
def check_assistants(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    from chatapp.assistants import all_assistants

    try:
        all_assistants()
    except ImproperlyConfigured as error:
        return [Error(str(error), id="chatapp.ASSISTANTS")]
    return []
