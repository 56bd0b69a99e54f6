"""The name under which this process owns runs, and whether another owner of this host is still there."""

from __future__ import annotations

import os
import secrets
import socket
from functools import lru_cache


def process_owner() -> str:
    """`host:pid:nonce`, one per process; the nonce tells a process from an earlier one of the same number."""
    return _owner_of(os.getpid())


def is_dead_owner(owner: str) -> bool:
    """Whether the owner was a process of this host that is not there any more. When in doubt, it is alive."""
    host, pid, _ = _split(owner)
    if host != socket.gethostname() or not pid.isdigit():
        return False
    if int(pid) == os.getpid():
        return owner != process_owner()
    return not _is_running(int(pid))


@lru_cache
def _owner_of(pid: int) -> str:
    # By pid, so that a fork gets a name of its own.
    return f"{socket.gethostname()}:{pid}:{secrets.token_hex(4)}"


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
