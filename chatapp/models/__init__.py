"""The rows of the web app. The engine's own rows are in `agents.models`."""

from chatapp.models.event import RunEvent
from chatapp.models.note import Note
from chatapp.models.queue import QueuedMessage
from chatapp.models.receipt import Receipt
from chatapp.models.rendered import RenderedEntry
from chatapp.models.revision import Revision
from chatapp.models.thread import Thread

__all__ = ["Note", "QueuedMessage", "Receipt", "RenderedEntry", "Revision", "RunEvent", "Thread"]
