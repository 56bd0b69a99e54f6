"""Texts of Django and allauth for which their own catalogues have no Chinese, or none that reads well.

They stand here so that `make messages` collects them: what our catalogue says goes before theirs.
"""

from django.utils.translation import gettext_noop, ngettext_lazy

TEXTS = (
    # sign-up and login
    ngettext_lazy(
        "This password is too short. It must contain at least %d character.",
        "This password is too short. It must contain at least %d characters.",
        2,
    ),
    gettext_noop("Email (optional)"),
    gettext_noop("Please type your current password."),
    gettext_noop("The username and/or password you specified are not correct."),
    gettext_noop("Too many failed login attempts. Try again later."),
    # admin
    gettext_noop("Model name"),
    gettext_noop("Add link"),
    gettext_noop("Change or view list link"),
)
