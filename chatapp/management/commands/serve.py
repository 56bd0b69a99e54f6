"""`manage.py serve`: prepares the database and the static files, then serves until it is told to stop."""

import logging
import os
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from chatapp.accounts import rules
from chatapp.checks import TAG
from chatapp.environment import WILDCARDS
from chatapp.prepare import needs_database, prepare


class Command(BaseCommand):
    help = "Prepares the database and the static files, and serves on HOST:PORT."
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        self.check(tags=[TAG])
        with needs_database():
            prepare()
            self.token = rules.signup_token() if rules.needs_token() else ""
        connections.close_all()  # this thread is the loop's from now on, and asks the database nothing
        server = self.build_server()
        server.run()
        if server.failure:
            raise CommandError(f"Cannot serve: {server.failure}")
        self.leave()

    def leave(self) -> None:
        """Ends the process here: the thread of a sync tool cannot be cancelled, and would be waited for."""
        logging.shutdown()
        self.stdout.flush()
        os._exit(0)

    def build_server(self) -> Any:
        # Installs the reactor, which must be there before anything else imports it.
        from chatapp.server import Server  # isort: skip
        from chatapp.asgi import application
        from chatapp.executor import server_started, server_stopping

        return Server(
            application,
            host=settings.HOST,
            port=settings.PORT,
            started=server_started,
            stopping=server_stopping,
            ready=self.say_where,
        )

    def say_where(self) -> None:
        self.stdout.write(f"Serving on {address()}")
        if self.token:
            url = f"{address()}accounts/signup/?token={self.token}"
            self.stdout.write(f"There is no account yet. The first one can be made once, at {url}")
        self.stdout.flush()


def address() -> str:
    if settings.PUBLIC_ORIGIN:
        return f"{settings.PUBLIC_ORIGIN}/"
    host = "localhost" if settings.HOST in WILDCARDS else settings.HOST
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.PORT}/"
