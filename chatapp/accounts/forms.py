"""The sign-up form, with a field for the one-time token where the first account needs one."""

from typing import Any

from allauth.account import forms as allauth_forms
from allauth.core import context
from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from chatapp.accounts import rules


class SignupForm(allauth_forms.SignupForm):
    """Fields: username, email (optional), password1, password2, and token when `rules.needs_token()`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if rules.needs_token():
            self.fields["token"] = token_field(initial=context.request.GET.get("token", ""))

    def clean_token(self) -> str:
        token: str = self.cleaned_data["token"]
        if not rules.is_token(token):
            raise ValidationError(gettext("This is not the token that the server printed when it started."))
        return token


def token_field(*, initial: str) -> forms.CharField:
    return forms.CharField(
        initial=initial,
        label=_("Sign-up token"),
        help_text=_("The server printed it when it started. Only the first account needs it."),
        max_length=100,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
