"""The event log: what a run has shown, numbered."""

from __future__ import annotations

from django.db import models

from chatapp.models.thread import Thread


class RunEvent(models.Model):
    """A batch of consecutive frames of one run, written before anybody is shown them.

    `top_index` is the highest entry index that its frames name (or, where they name none, the number of
    entries that the run had stored): rows with `top_index >= n` hold all that was shown beyond the
    first n entries.
    """

    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="events")
    run_id = models.CharField(max_length=200)
    first_seq = models.PositiveIntegerField()
    last_seq = models.PositiveIntegerField()
    top_index = models.IntegerField()
    frames = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run_id", "first_seq"], name="event_run_seq"),
        ]
        indexes = [models.Index(fields=["run_id", "top_index"], name="event_run_top")]

    def __str__(self) -> str:
        return f"{self.run_id} {self.first_seq}-{self.last_seq}"
