"""allauth's hooks: the sign-up rules, for local accounts and for those that an identity provider brings."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.shortcuts import redirect

from chatapp.accounts import rules


def back_to_signup() -> ImmediateHttpResponse:
    """The page itself then says what is wrong: sign-up is closed by now, or the name is taken."""
    return ImmediateHttpResponse(redirect("account_signup"))


class AccountAdapter(DefaultAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return rules.is_open()

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        super().save_user(request, user, form, commit=False)  # hashes the password, which takes its time
        if commit:
            self._save_admitted(user)
        return user

    def _save_admitted(self, user: User) -> None:
        try:
            with transaction.atomic():
                rules.admit(user)
                user.save()
        except (rules.SignupClosed, IntegrityError) as error:
            raise back_to_signup() from error


class SocialAccountAdapter(DefaultSocialAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        return rules.is_open() and not rules.needs_token()

    def save_user(self, request: HttpRequest, sociallogin: SocialLogin, form: Any = None) -> User:
        try:
            with transaction.atomic():
                rules.admit(sociallogin.user)
                user: User = super().save_user(request, sociallogin, form)
                return user
        except rules.SignupClosed as error:
            raise back_to_signup() from error
