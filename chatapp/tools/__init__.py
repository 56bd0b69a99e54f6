"""The tools that need the web app. They import its models when they are called."""

from chatapp.tools.deps import Deps
from chatapp.tools.jobs import slow_job
from chatapp.tools.notes import add_note, delete_note, list_notes, search_notes
from chatapp.tools.threads import search_threads

__all__ = ["Deps", "add_note", "delete_note", "list_notes", "search_notes", "search_threads", "slow_job"]
