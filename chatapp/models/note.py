"""A note that an assistant keeps for one user."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class Note(models.Model):
    """Plain text, seen by its owner only. Ids are never reused, so a repeated delete cannot hit another note.

    `call_key` names the tool call that wrote it: a call that runs again after a crash finds its note.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notes")
    text = models.TextField()
    call_key = models.CharField(max_length=64, null=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        constraints = [models.UniqueConstraint(fields=["owner", "call_key"], name="note_once_per_call")]
        indexes = [models.Index(fields=["owner", "-id"], name="note_owner_newest")]

    def __str__(self) -> str:
        return self.text[:60]
