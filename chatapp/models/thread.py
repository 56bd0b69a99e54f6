"""A thread: what belongs to a conversation beside its session."""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

TITLE_LIMIT = 80


def thread_ids(session_ids: Iterable[str | None]) -> list[uuid.UUID]:
    """Those that can be a thread's. Others may use the engine here, where any string is a session."""
    return [found for found in map(_uuid, session_ids) if found is not None]


def _uuid(text: str | None) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except (ValueError, TypeError):
        return None


class Thread(models.Model):
    """One conversation of one user. Its id is the session_id of its history in the engine."""

    class TitleSource(models.TextChoices):
        AUTO = "auto"
        USER = "user"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="threads", verbose_name=_("owner")
    )
    title = models.CharField(_("title"), max_length=TITLE_LIMIT, blank=True)
    title_source = models.CharField(max_length=8, choices=TitleSource, default=TitleSource.AUTO)
    assistant = models.CharField(_("assistant"), max_length=200, blank=True)
    model = models.CharField(_("model"), max_length=200, blank=True)
    queue_held = models.CharField(max_length=12, blank=True)  # why nothing in the queue starts by itself
    created_at = models.DateTimeField(_("created at"), default=timezone.now, editable=False)
    updated_at = models.DateTimeField(_("updated at"), default=timezone.now, editable=False)
    seen_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("thread")
        verbose_name_plural = _("threads")
        indexes = [models.Index(fields=["owner", "-updated_at", "-id"], name="thread_owner_recent")]

    def __str__(self) -> str:
        return self.title or str(self.id)

    @property
    def session_id(self) -> str:
        return str(self.id)
