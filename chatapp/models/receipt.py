"""Receipts: what makes a command idempotent."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models

from chatapp.models.thread import Thread


class Receipt(models.Model):
    """The answer to a client_id that was seen before. Written in the command's own transaction."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="receipts")
    client_id = models.UUIDField()
    command = models.CharField(max_length=20)
    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="receipts")
    run_id = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["owner", "client_id"], name="receipt_once")]

    def __str__(self) -> str:
        return f"{self.command} {self.client_id}"
