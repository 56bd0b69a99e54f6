"""Rendered entries: a cache that may be emptied at any time."""

from __future__ import annotations

from django.db import models

from chatapp.models.thread import Thread


class RenderedEntry(models.Model):
    """The HTML of a text of a thread, by the digest of text and renderer version. It goes with the thread."""

    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="rendered")
    digest = models.CharField(max_length=64)
    html = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["thread", "digest"], name="rendered_once")]

    def __str__(self) -> str:
        return self.digest
