"""The URLs of pages and commands."""

from django.urls import include, path, register_converter
from django.urls.converters import PathConverter

from agents.transcript import clean_text
from chatapp.views import commands, export, pages, partials


class RunIdConverter(PathConverter):
    """Any text that can be the id of a run: PostgreSQL refuses even to look for some of the others."""

    def to_python(self, value: str) -> str:
        if clean_text(value) != value:
            raise ValueError(value)  # 404
        return value


register_converter(RunIdConverter, "run")

thread_patterns = [
    path("", pages.thread, name="thread"),
    path("messages/", commands.send, name="messages"),
    path("stop/", commands.stop, name="stop"),
    path("edit/", commands.edit, name="edit"),
    path("regenerate/", commands.regenerate, name="regenerate"),
    path("recover/", commands.recover, name="recover"),
    path("queue/", commands.queue, name="queue"),
    path("queue/<uuid:message_id>/", commands.queued, name="queued"),
    path("rename/", commands.rename, name="rename"),
    path("delete/", commands.delete, name="delete"),
    path("turns/", partials.older, name="older"),
    path("turns/<run:run_id>/", partials.turn, name="turn"),
    path("steps/<run:run_id>/", partials.step, name="step"),
    path("conversation/", partials.conversation, name="conversation"),
    path("export.json", export.as_json, name="export_json"),
    path("export.md", export.as_markdown, name="export_md"),
]

urlpatterns = [
    path("", pages.home, name="home"),
    path("threads/", commands.create, name="threads"),
    path("threads/<uuid:thread_id>/", include(thread_patterns)),
    path("sidebar/", partials.sidebar, name="sidebar"),
]
