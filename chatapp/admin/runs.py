"""Runs in flight: what is being answered now, what waits for somebody, and whose it is."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from agents.models import Checkpoint
from agents.stores.orm import checkpoints
from chatapp import services
from chatapp.admin.readonly import ReadOnlyAdmin, for_each, status_mark
from chatapp.history.reading import status_of
from chatapp.models import Thread


class RunList(ChangeList):
    """Adds thread and state to the rows of one page, with two queries for all of them."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        self.result_list = list(self.result_list)
        threads = threads_of(self.result_list)
        flights = checkpoints.in_flight_many(list(threads))
        for run in self.result_list:
            run.thread = threads.get(run.session_id or "")
            run.state = status_of(flights.get(run.session_id or ""))


def threads_of(runs: Any) -> dict[str, Thread]:
    """The threads of these runs by session; runs of other programs have none."""
    ids = [run.session_id for run in runs if is_uuid(run.session_id)]
    return {thread.session_id: thread for thread in Thread.objects.filter(id__in=ids).select_related("owner")}


def is_uuid(text: str | None) -> bool:
    try:
        return str(UUID(text or "")) == text
    except ValueError:
        return False


@admin.register(Checkpoint)
class RunAdmin(ReadOnlyAdmin):
    list_display = [
        "run",
        "thread",
        "owner",
        "state",
        "agent",
        "entries",
        "started",
        "process",
    ]
    ordering = ["-started_at"]
    show_full_result_count = False
    list_per_page = 50
    actions = ["stop", "keep"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Checkpoint]:
        return super().get_queryset(request).filter(appended_at=None).defer("head", "output", "context_state")

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return RunList

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return super().changelist_view(request, {"title": _("Runs in flight")} | (extra_context or {}))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        """A run is read in its thread."""
        run = self.get_object(request, object_id)
        thread = threads_of([run]).get(run.session_id or "") if run else None
        if thread is None:
            return HttpResponseRedirect(reverse("admin:agents_checkpoint_changelist"))
        return HttpResponseRedirect(reverse("admin:chatapp_thread_change", args=[thread.pk]))

    @admin.display(description=_("run"), ordering="run_id")
    def run(self, run: Checkpoint) -> str:
        return run.run_id

    @admin.display(description=_("thread"))
    def thread(self, run: Checkpoint) -> str:
        return str(getattr(run, "thread", None) or run.session_id or "–")

    @admin.display(description=_("owner"))
    def owner(self, run: Checkpoint) -> str:
        thread = getattr(run, "thread", None)
        return str(thread.owner) if thread else "–"

    @admin.display(description=_("state"))
    def state(self, run: Checkpoint) -> str:
        return status_mark(getattr(run, "state", "idle"))

    @admin.display(description=_("assistant"), ordering="agent_name")
    def agent(self, run: Checkpoint) -> str:
        return run.agent_name

    @admin.display(description=_("entries"), ordering="next_index")
    def entries(self, run: Checkpoint) -> int:
        return run.next_index

    @admin.display(description=_("started"), ordering="started_at")
    def started(self, run: Checkpoint) -> datetime:
        return run.started_at

    @admin.display(description=_("process"), ordering="lease_owner", empty_value="–")
    def process(self, run: Checkpoint) -> str | None:
        return run.lease_owner

    @admin.action(description=_("Stop the run and keep its text"), permissions=["end"])
    def stop(self, request: HttpRequest, runs: QuerySet[Checkpoint]) -> None:
        done = ngettext_lazy("%(count)d run stopped.", "%(count)d runs stopped.", "count")
        for_each(request, threads_of(runs).values(), services.stop, done)

    @admin.action(description=_("Keep what is there (ends interrupted and failed runs)"), permissions=["end"])
    def keep(self, request: HttpRequest, runs: QuerySet[Checkpoint]) -> None:
        done = ngettext_lazy("%(count)d run kept.", "%(count)d runs kept.", "count")
        for_each(request, threads_of(runs).values(), services.keep, done)
