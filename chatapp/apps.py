"""Registers the web app with Django."""

from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ChatappConfig(AppConfig):
    name = "chatapp"
    verbose_name = _("Chat")

    def ready(self) -> None:
        import_module("chatapp.checks")
        # Not at the top: these need the models.
        executor, fragments = import_module("chatapp.executor"), import_module("chatapp.fragments")
        import_module("chatapp.services")  # whoever deletes a thread
        executor.configure(decorate=fragments.decorate_frame)
