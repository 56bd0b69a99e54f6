"""Threads: who owns them, how they stand, and their history as a conversation."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from chatapp import services
from chatapp.admin.conversation import Conversation, conversation_of
from chatapp.admin.counts import Standing, standings_of
from chatapp.admin.readonly import DeletesByName, ReadOnlyAdmin, for_each, status_mark
from chatapp.fragments import texts_of
from chatapp.history.cursor import BadCursor
from chatapp.models import Thread


class ThreadList(ChangeList):
    """Adds status and counts to the rows of one page, with two queries for all of them."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        self.result_list = list(self.result_list)
        standings = standings_of([thread.session_id for thread in self.result_list])
        for thread in self.result_list:
            thread.standing = standings.get(thread.session_id, Standing())


@admin.register(Thread)
class ThreadAdmin(DeletesByName, ReadOnlyAdmin):
    list_display = ["title_or_id", "owner", "status", "turns", "entries", "assistant", "updated_at"]
    list_select_related = ["owner"]
    list_filter = ["updated_at"]
    search_fields = ["title", "=id", "owner__username"]
    ordering = ["-updated_at", "-id"]
    show_full_result_count = False
    list_per_page = 50
    actions = ["stop", "keep"]
    fields = ("id", "title", "owner", "assistant", "model", "created_at", "updated_at")
    readonly_fields = ("id", "created_at", "updated_at")
    change_form_template = "admin/chatapp/thread/change_form.html"

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return ThreadList

    @admin.display(description=_("title"), ordering="title")
    def title_or_id(self, thread: Thread) -> str:
        return str(thread)

    @admin.display(description=_("status"))
    def status(self, thread: Thread) -> str:
        return status_mark(self._standing(thread).status)

    @admin.display(description=_("turns"))
    def turns(self, thread: Thread) -> int:
        return self._standing(thread).turns

    @admin.display(description=_("entries"))
    def entries(self, thread: Thread) -> int:
        return self._standing(thread).entries

    def _standing(self, thread: Thread) -> Standing:
        standing: Standing = getattr(thread, "standing", Standing())
        return standing

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        thread = self.get_object(request, object_id)
        shown = self._conversation(request, thread) if thread else None
        texts = texts_of(thread.id, (run.turn for run in shown.runs)) if thread and shown else {}
        context = (extra_context or {}) | {"conversation": shown, "texts": texts}
        return super().change_view(request, object_id, form_url, context)

    def _conversation(self, request: HttpRequest, thread: Thread) -> Conversation:
        try:
            return conversation_of(thread, before=request.GET.get("before") or None)
        except BadCursor:
            return conversation_of(thread)

    @admin.action(description=_("Stop the run and keep its text"), permissions=["end"])
    def stop(self, request: HttpRequest, threads: QuerySet[Thread]) -> None:
        done = ngettext_lazy("%(count)d thread settled.", "%(count)d threads settled.", "count")
        for_each(request, threads, services.stop, done)

    @admin.action(description=_("Keep what is there (ends interrupted and failed runs)"), permissions=["end"])
    def keep(self, request: HttpRequest, threads: QuerySet[Thread]) -> None:
        done = ngettext_lazy("%(count)d thread kept.", "%(count)d threads kept.", "count")
        for_each(request, threads, services.keep, done)

    # Deleting goes through the service: it ends a live run first, and leaves no row of the engine.

    def delete_model(self, request: HttpRequest, obj: Thread) -> None:
        services.delete(obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Thread]) -> None:
        for thread in queryset:
            services.delete(thread)
