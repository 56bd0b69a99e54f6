"""A server process on a database of its own."""

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


class Server:
    """Started and ended as an operator would; every start is a new process group."""

    def __init__(self, folder: Path, database_url: str, **environment: str) -> None:
        self.port = free_port()
        self.log = folder / "server.log"
        self.environment = {
            **{
                name: value
                for name, value in os.environ.items()
                if not name.startswith(("OPENAI_", "DJANGO_"))
            },
            "DATABASE_URL": database_url,
            "SECRET_KEY": "only-for-tests-0123456789-0123456789-0123456789",
            "PORT": str(self.port),
            "SIGNUP": "open",
            "RATE_LIMITS": "0",
            **environment,
        }
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "manage.py", "serve"],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._wait_until_alive(60)

    def _wait_until_alive(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            assert self._process is not None
            assert self._process.poll() is None, self.log.read_text()
            try:
                with urllib.request.urlopen(f"{self.url}/livez", timeout=2):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.05)
        raise AssertionError(f"not alive after {seconds} s:\n{self.log.read_text()}")

    def kill(self) -> None:
        """kill -9, as the kernel does it."""
        self._signal(signal.SIGKILL)

    def terminate(self) -> None:
        """SIGTERM, as a deploy does it."""
        self._signal(signal.SIGTERM)

    def pause(self) -> None:
        """As a machine that swaps, or a debugger."""
        self._send(signal.SIGSTOP)

    def wake(self) -> None:
        self._send(signal.SIGCONT)

    def _send(self, which: signal.Signals) -> None:
        assert self._process is not None
        os.killpg(self._process.pid, which)

    def _signal(self, which: signal.Signals) -> None:
        if self._process is not None:
            os.killpg(self._process.pid, which)
            self._process.wait(40)
            self._process = None

    def restart_after_kill(self) -> None:
        self.kill()
        self.start()

    @property
    def tracebacks(self) -> int:
        return self.log.read_text().count("Traceback")
