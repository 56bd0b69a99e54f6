"""The processes of a deployment, on a database of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment_of(database_url: str, **environment: str) -> dict[str, str]:
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "DJANGO_"))
    }
    return {
        **inherited,
        "DATABASE_URL": database_url,
        "SECRET_KEY": "only-for-tests-0123456789-0123456789-0123456789",
        "SIGNUP": "open",
        "RATE_LIMITS": "0",
        **environment,
    }


class Process:
    """A command of manage.py, started and ended as an operator would; every start is a new process group."""

    command: tuple[str, ...] = ()

    def __init__(self, log: Path, environment: dict[str, str]) -> None:
        self.log = log
        self.environment = environment
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.launch()
        self.wait_until_ready()

    def launch(self) -> None:
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "manage.py", *self.command],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def wait_until_ready(self, seconds: float = 60) -> None:
        deadline = time.monotonic() + seconds
        while not self.is_ready():
            assert self._process is not None
            assert self._process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, f"not ready after {seconds} s:\n{self.log.read_text()}"
            time.sleep(0.05)

    def is_ready(self) -> bool:
        raise NotImplementedError

    def signal(self, which: signal.Signals) -> None:
        if self._process is not None:
            os.killpg(self._process.pid, which)

    def wait(self) -> int:
        """Its exit status, once it has ended."""
        status = self._process.wait(40) if self._process is not None else 0
        self._process = None
        return status

    def kill(self) -> None:
        """kill -9, as the kernel does it."""
        self.signal(signal.SIGKILL)
        self.wait()

    def terminate(self) -> int:
        """SIGTERM, as a deploy does it."""
        self.signal(signal.SIGTERM)
        return self.wait()

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    @property
    def tracebacks(self) -> int:
        return self.log.read_text().count("Traceback") if self.log.exists() else 0


class Web(Process):
    """`manage.py serve`, on a port of its own."""

    command = ("serve",)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.environment['PORT']}"

    def is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/livez", timeout=2):
                return True
        except (urllib.error.URLError, OSError):
            return False


class Worker(Process):
    """`manage.py procrastinate worker`. Nobody else may log to its file."""

    command = ("procrastinate", "worker")
    _starts = 0

    def launch(self) -> None:
        self._starts = self._count_starts()
        super().launch()

    def is_ready(self) -> bool:
        return self._count_starts() > self._starts

    def _count_starts(self) -> int:
        return self.log.read_text().count("Working: ") if self.log.exists() else 0


class Server:
    """What serves a person: a web process and, if runs wait for workers, one of these, as if one process."""

    def __init__(self, folder: Path, database_url: str, **environment: str) -> None:
        self.port = free_port()
        self.folder = folder
        self.log = folder / "server.log"
        self.environment = environment_of(database_url, PORT=str(self.port), **environment)
        self._parts: list[Process] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self._parts = [Web(self.log, self.environment)]
        if self.environment.get("RUN_EXECUTOR") == "procrastinate":
            self._parts.append(Worker(self.log.with_suffix(".worker.log"), self.environment))
        for part in self._parts:
            part.launch()
        for part in self._parts:
            part.wait_until_ready()

    def kill(self) -> None:
        """kill -9, as the kernel does it."""
        self._end(signal.SIGKILL)

    def terminate(self) -> None:
        """SIGTERM, as a deploy does it."""
        self._end(signal.SIGTERM)

    def pause(self) -> None:
        """As a machine that swaps, or a debugger."""
        self._signal(signal.SIGSTOP)

    def wake(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, which: signal.Signals) -> None:
        for part in self._parts:
            part.signal(which)

    def _end(self, which: signal.Signals) -> None:
        self._signal(which)
        for part in self._parts:
            part.wait()

    def restart_after_kill(self) -> None:
        self.kill()
        self.start()

    @property
    def tracebacks(self) -> int:
        return sum(part.tracebacks for part in self._parts)
