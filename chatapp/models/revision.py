"""Revisions: tails that were cut off, kept."""

from __future__ import annotations

from django.db import models

from chatapp.models.thread import Thread


class Revision(models.Model):
    """A tail that an edit, a regenerate or a discard has set aside.

    `cut_id` is the engine's name for it: a session of its own that holds the segments cut off.
    """

    class Reason(models.TextChoices):
        EDIT = "edit"
        REGENERATE = "regenerate"
        DISCARD = "discard"

    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="revisions")
    cut_id = models.CharField(max_length=200, unique=True)
    reason = models.CharField(max_length=12, choices=Reason)
    after_run = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["thread", "created_at"], name="revision_of_thread")]

    def __str__(self) -> str:
        return f"{self.reason} {self.cut_id}"
