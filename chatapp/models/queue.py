"""Messages that wait for their turn."""

from __future__ import annotations

import uuid

from django.db import models

from chatapp.models.thread import Thread


class QueuedMessage(models.Model):
    """A message that waits for its turn. `run_id` is the run that it will start, chosen when it was sent."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="queue")
    position = models.IntegerField()
    run_id = models.CharField(max_length=200, unique=True)
    content = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["thread", "position"], name="queue_order")]
        ordering = ["position"]

    def __str__(self) -> str:
        return f"{self.thread_id} {self.position}"
