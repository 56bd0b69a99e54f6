"""The event log: what a run has shown, numbered."""

from __future__ import annotations

from django.db import models

from chatapp.models.thread import Thread


class RunEvent(models.Model):
    """A batch of consecutive frames of one run, written before anybody is shown them.

    `top_index` is the highest entry index that its frames name (or, where they name none, the number of
    entries that the run had stored): what was shown beyond the first n entries is in the rows that follow
    the last one with `top_index < n`.

    Rows come many times a second, so there is one index, and what else is to be found fast is found by it.
    """

    pk = models.CompositePrimaryKey("thread_id", "run_id", "first_seq")
    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="events", db_index=False)
    run_id = models.CharField(max_length=200)
    first_seq = models.PositiveIntegerField()
    last_seq = models.PositiveIntegerField()
    top_index = models.IntegerField()
    frames = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [
            # Only of each run's first row: to find the runs that began long ago.
            models.Index(fields=["created_at"], condition=models.Q(first_seq=1), name="event_run_began")
        ]

    def __str__(self) -> str:
        return f"{self.run_id} {self.first_seq}-{self.last_seq}"
