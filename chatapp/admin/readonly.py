"""What the admin pages share: nothing is added or changed, and ending a run is a right of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.translation import gettext as _

from agents.errors import AgentsError
from chatapp.history.turns import ThreadStatus
from chatapp.models import Thread

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

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


class DeletesByName:
    """Asks about the rows by their names, not by the thousands of rows below them."""

    def get_deleted_objects(
        self: Any, objs: Any, request: HttpRequest
    ) -> tuple[list[str], dict[str, int], set[str], list[str]]:
        names = [str(obj) for obj in objs]
        missing = set() if self.has_delete_permission(request) else {str(self.opts.verbose_name)}
        return names, {str(self.opts.verbose_name_plural): len(names)}, missing, []


def status_mark(status: ThreadStatus) -> str:
    """The status as a mark and a word."""
    words = {
        "idle": _("idle"),
        "running": _("running"),
        "waiting": _("waiting"),
        "interrupted": _("interrupted"),
        "failed": _("failed"),
    }
    if status == "idle":
        return words[status]
    mark = "live" if status == "running" else status
    return format_html(
        '<span class="status"><span class="mark mark-{}" aria-hidden="true"></span>{}</span>',
        mark,
        words[status],
    )


def for_each(
    request: HttpRequest, threads: Iterable[Thread], act: Callable[[Thread], None], done: _StrPromise
) -> None:
    """Acts on each thread by itself: one refusal leaves the others alone. Says what came of it.

    `done` is of `ngettext_lazy`, for any `count`.
    """
    count = 0
    for thread in threads:
        try:
            act(thread)
        except (AgentsError, Thread.DoesNotExist) as error:
            messages.warning(request, f"{thread}: {error}")
        else:
            count += 1
    if count:
        messages.success(request, done % {"count": count})
