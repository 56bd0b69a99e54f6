"""What a model gets to see: a view of the transcript made for each request. Nothing here changes what is
stored."""

from agents.context.notes import dropped_call_notes
from agents.context.tokens import estimate_entries, estimate_text
from agents.context.view import view_for

__all__ = ["dropped_call_notes", "estimate_entries", "estimate_text", "view_for"]
