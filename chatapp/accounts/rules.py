"""Who may sign up: the SIGNUP setting, the operator, the one-time token."""

import hmac

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.utils.crypto import salted_hmac

from chatapp.environment import is_loopback


class SignupClosed(Exception):
    """Another account came first."""


def is_open() -> bool:
    if settings.SIGNUP == "first":
        return not has_accounts()
    return bool(settings.SIGNUP == "open")


def has_accounts() -> bool:
    return User.objects.exists()


def needs_token() -> bool:
    """Whoever reaches a server in a network first must not become its operator by that alone."""
    return bool(settings.SIGNUP == "first") and not is_loopback(settings.HOST) and not has_accounts()


def signup_token() -> str:
    """The same in every process of one deployment; worthless as soon as the first account exists."""
    return salted_hmac("chatapp.accounts.signup", "first account", algorithm="sha256").hexdigest()[:24]


def is_token(given: str) -> bool:
    return hmac.compare_digest(given.strip().encode(), signup_token().encode())


def admit(user: User) -> None:
    """Decides about a new account before it is saved; call it in the transaction that saves it.

    The first one becomes the operator. Raises SignupClosed when this one is one too many.
    """
    lock_signups()
    if not is_open():
        raise SignupClosed
    if not has_accounts():
        user.is_staff = user.is_superuser = True


def lock_signups() -> None:
    """Of two sign-ups at once the second one waits here, and then sees the first.

    A row that always exists serves as the lock; on SQLite the transaction itself does.
    """
    list(ContentType.objects.select_for_update().filter(app_label="auth", model="user"))
