"""What the admin pages share: nothing is added or changed, and ending a run is a right of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.http import HttpRequest
from django.utils.translation import ngettext

from agents.errors import AgentsError
from chatapp.models import Thread

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
else:
    ModelAdmin = admin.ModelAdmin


class ReadOnlyAdmin(ModelAdmin):
    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_end_permission(self, request: HttpRequest) -> bool:
        """Stop and keep: for those who may change threads at all."""
        return request.user.has_perm("chatapp.change_thread")


def for_each(
    request: HttpRequest, threads: Iterable[Thread], act: Callable[[Thread], None], done: tuple[str, str]
) -> None:
    """Acts on each thread by itself: one refusal leaves the others alone. Says what came of it."""
    count = 0
    for thread in threads:
        try:
            act(thread)
        except (AgentsError, Thread.DoesNotExist) as error:
            messages.warning(request, f"{thread}: {error}")
        else:
            count += 1
    if count:
        messages.success(request, ngettext(*done, count) % {"count": count})
