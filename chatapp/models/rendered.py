"""Rendered entries: a cache that may be emptied at any time."""

from __future__ import annotations

from django.db import models


class RenderedEntry(models.Model):
    """The HTML of a text, by the digest of text and renderer version."""

    digest = models.CharField(max_length=64, primary_key=True)
    html = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.digest
