"""How the log looks: one line a record, for people (text) or for machines (json)."""

import logging
import sys
import time
from typing import Any

import structlog


def without_request(logger: Any, name: str, record: dict[str, Any]) -> dict[str, Any]:
    """Django adds the request and its status to its records, whose text says as much."""
    return {key: value for key, value in record.items() if key not in ("request", "status_code")}


SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.ExtraAdder(),
    without_request,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


class OneLine(logging.Filter):
    """For libraries that log a traceback whenever a service is away: one line, and not the same one again."""

    REPEATED_AFTER = 60.0

    def __init__(self) -> None:
        super().__init__()
        self._said: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        text, now = " ".join(record.getMessage().split()), time.monotonic()
        if now - self._said.get(text, -self.REPEATED_AFTER) < self.REPEATED_AFTER:
            return False
        self._said[text] = now
        if record.exc_info and record.exc_info[1] is not None:
            text += f": {record.exc_info[1].__cause__ or record.exc_info[1]}"
        record.msg, record.args = text, ()
        record.exc_info = record.exc_text = None
        record.__dict__.pop("exception", None)  # procrastinate's own copy of it
        return True


class ServiceAway(logging.Filter):
    """A request that failed because the database is away, locked, or out of room is no fault of the code."""

    def filter(self, record: logging.LogRecord) -> bool:
        from django.db import InterfaceError, OperationalError  # settings are read before Django is there

        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, OperationalError | InterfaceError):
            record.msg, record.args = " ".join(f"{record.getMessage()}: {error}".split()), ()
            record.exc_info = record.exc_text = None
        return True


class BadBody(logging.Filter):
    """Nor is a request whose body cannot be read, or is too large."""

    SECURITY = ("RequestDataTooBig", "TooManyFieldsSent", "TooManyFilesSent")

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if type(error).__name__ in ("MultiPartParserError", *self.SECURITY):
            record.exc_info = record.exc_text = None
        return True


def logging_config(*, debug: bool, style: str) -> dict[str, Any]:
    """Django's LOGGING: everything goes to stderr through structlog, whoever logged it."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": formatter(style)},
        "filters": {
            "one line": {"()": OneLine},
            "service away": {"()": ServiceAway},
            "bad body": {"()": BadBody},
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": "INFO"},
        "loggers": {
            "django": {"handlers": [], "level": "INFO", "propagate": True},
            "django.request": {"filters": ["service away", "bad body"]},
            **{f"django.security.{name}": {"filters": ["bad body"]} for name in BadBody.SECURITY},
            "django.server": {"handlers": [], "level": "INFO", "propagate": True},
            "agents": {"level": "DEBUG" if debug else "INFO"},
            "chatapp": {"level": "DEBUG" if debug else "INFO"},
            "daphne": {"level": "WARNING"},
            "procrastinate": {"level": "WARNING"},  # else three lines a run
            "procrastinate.utils": {"filters": ["one line"]},
            "procrastinate.worker": {"filters": ["one line"]},
            "procrastinate.worker.worker": {"filters": ["one line"]},
            "channels_redis.pubsub": {"filters": ["one line"]},
            "chatapp.cache": {"filters": ["one line"]},
        },
    }


def formatter(style: str) -> dict[str, Any]:
    return {
        "()": structlog.stdlib.ProcessorFormatter,
        "foreign_pre_chain": SHARED,
        "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, *renderer(style)],
    }


def renderer(style: str) -> list[Any]:
    if style == "json":
        return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    plain = structlog.dev.plain_traceback
    return [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=plain)]
