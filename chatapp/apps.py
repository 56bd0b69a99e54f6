"""Registers the web app with Django."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ChatappConfig(AppConfig):
    name = "chatapp"
    verbose_name = _("Chat")
