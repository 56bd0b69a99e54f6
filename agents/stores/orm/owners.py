"""The name under which this process owns runs, and whether another owner of this host is still there."""

from __future__ import annotations

import os
import secrets
import socket
from functools import lru_cache
from pathlib import Path

PID_NAMESPACE = Path("/proc/self/ns/pid")


def process_owner() -> str:
    """`host@pids:pid:nonce`, one per process; the nonce tells it from an earlier one of the same number.

    `pids` is the namespace that the pid belongs to: containers may share a hostname, and not see each other.
    """
    return _owner_of(os.getpid())


def is_dead_owner(owner: str) -> bool:
    """Whether the owner was a process of this host that is not there any more. When in doubt, it is alive."""
    host, pid, _ = _split(owner)
    if host != _host() or not pid.isdigit():
        return False
    if int(pid) == os.getpid():
        return owner != process_owner()
    return not _is_running(int(pid))


@lru_cache
def _owner_of(pid: int) -> str:
    # By pid, so that a fork gets a name of its own.
    return f"{_host()}:{pid}:{secrets.token_hex(4)}"


def _host() -> str:
    try:
        return f"{socket.gethostname()}@{PID_NAMESPACE.stat().st_ino}"
    except OSError:  # not on every system
        return socket.gethostname()


def _split(owner: str) -> tuple[str, str, str]:
    host, _, rest = owner.partition(":")
    pid, _, nonce = rest.partition(":")
    return host, pid, nonce


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
