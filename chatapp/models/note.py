"""A note that an assistant keeps for one user."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class Note(models.Model):
    """Plain text, seen by its owner only. Ids are never reused, so a repeated delete cannot hit another note."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notes")
    text = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["owner", "-id"], name="note_owner_newest")]

    def __str__(self) -> str:
        return self.text[:60]
