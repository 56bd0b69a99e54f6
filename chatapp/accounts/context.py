"""What every template may need of the site itself."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest

from chatapp.accounts import rules


def site(request: HttpRequest) -> dict[str, Any]:
    """`signup_open` and `is_first_account` ask the database, and only in templates that use them."""
    return {
        "site_name": settings.SITE_NAME,
        "has_email": settings.HAS_EMAIL,
        "has_oidc": settings.HAS_OIDC,
        "signup_open": rules.is_open,
        "is_first_account": lambda: not rules.has_accounts(),
    }
