"""Rows of the ORM stores: plain data with constraints. The rules are in the core, the SQL in `stores.orm`.

A *log* is the list of one run's entries and has no row of its own. A checkpoint and a segment point to one:
finishing a run hands its log over and copies nothing. JSON is kept as text: it comes back exactly as it was
written, costs no parsing in the database, and a damaged row is one unreadable entry, not a query that
fails.
"""

from __future__ import annotations

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _

from agents.session import MAX_ID_LENGTH


class Entry(models.Model):
    """One entry of a log. Indexes grow, may have gaps, and are never given anew."""

    log = models.UUIDField()
    index = models.PositiveIntegerField()
    type = models.CharField(max_length=16)
    data = models.TextField()

    class Meta:
        verbose_name_plural = "entries"
        constraints = [models.UniqueConstraint(fields=["log", "index"], name="agents_entry_log_index")]

    def __str__(self) -> str:
        return f"{self.type} {self.log}:{self.index}"


class Segment(models.Model):
    """A finished run of a session. `length` counts the rows of its log."""

    session_id = models.CharField(max_length=MAX_ID_LENGTH)
    run_id = models.CharField(max_length=MAX_ID_LENGTH)
    log = models.UUIDField(default=uuid.uuid4)
    length = models.PositiveIntegerField()
    meta = models.TextField(null=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session_id", "run_id"], name="agents_segment_session_run")
        ]
        indexes = [models.Index(fields=["session_id", "id"], name="agents_segment_session_id")]

    def __str__(self) -> str:
        return f"{self.session_id}/{self.run_id}"


class Checkpoint(models.Model):
    """A run in flight (`appended_at` is null), or the finished one that was kept for replays.

    `fence` goes up with every new owner; a write that names an older one counts no row. `head` is the part
    of the RunHead that nothing is searched by; `context_state`, which may be larger, is written only when
    it changed.
    """

    run_id = models.CharField(max_length=MAX_ID_LENGTH, primary_key=True)
    session_id = models.CharField(max_length=MAX_ID_LENGTH, null=True)
    log = models.UUIDField(default=uuid.uuid4)
    next_index = models.PositiveIntegerField(default=0)

    agent_name = models.TextField()
    status = models.CharField(max_length=16)
    turns = models.PositiveIntegerField(default=0)
    head = models.TextField()
    output = models.TextField(null=True)
    context_state = models.TextField(null=True)
    context_digest = models.CharField(max_length=32, default="")
    started_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    fence = models.PositiveIntegerField(default=1)
    lease_owner = models.CharField(max_length=200, null=True)
    lease_expires_at = models.DateTimeField(null=True)
    stop_requested_at = models.DateTimeField(null=True)
    handed_over = models.BooleanField(default=False)
    auto_resumes = models.PositiveIntegerField(default=0)
    appended_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("checkpoint")
        verbose_name_plural = _("checkpoints")
        constraints = [
            models.UniqueConstraint(
                fields=["session_id"],
                condition=models.Q(appended_at__isnull=True) & ~models.Q(status="completed"),
                name="agents_checkpoint_one_in_flight",
            )
        ]
        indexes = [
            models.Index(fields=["session_id"], name="agents_checkpoint_session"),
            models.Index(
                fields=["lease_owner"],
                condition=models.Q(lease_owner__isnull=False),
                name="agents_checkpoint_owner",
            ),
            # Not by a column that every save changes: on Postgres that would cost each of them index writes.
            models.Index(
                fields=["started_at"],
                condition=models.Q(appended_at__isnull=True),
                name="agents_checkpoint_in_flight",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run_id} ({self.status})"


class ArchivedResult(models.Model):
    """The whole output of a call whose stored result was shortened.

    `digest` is of call id and content, since a call id may be used again, and may be too long for an index.
    """

    session_id = models.CharField(max_length=MAX_ID_LENGTH)
    call_id = models.TextField()
    digest = models.CharField(max_length=32)
    content = models.TextField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session_id", "digest"], name="agents_archive_session_digest")
        ]

    def __str__(self) -> str:
        return f"{self.session_id}/{self.call_id}"
