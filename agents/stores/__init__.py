"""Where sessions and checkpoints are kept. Django is imported when an Orm store is asked for, not before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agents.stores.memory import InMemoryCheckpointer, InMemorySession

if TYPE_CHECKING:
    from agents.stores.orm.checkpointer import OrmCheckpointer
    from agents.stores.orm.session import OrmSession

__all__ = ["InMemoryCheckpointer", "InMemorySession", "OrmCheckpointer", "OrmSession"]


def __getattr__(name: str) -> Any:
    if name == "OrmSession":
        from agents.stores.orm.session import OrmSession

        return OrmSession
    if name == "OrmCheckpointer":
        from agents.stores.orm.checkpointer import OrmCheckpointer

        return OrmCheckpointer
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
