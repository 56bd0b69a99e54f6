"""Stores that live as long as the process, for tests and for chats that nobody keeps."""

from agents.stores.memory.checkpointer import InMemoryCheckpointer
from agents.stores.memory.session import InMemorySession

__all__ = ["InMemoryCheckpointer", "InMemorySession"]
