"""Whether a socket's session stands: one query while nothing has changed, and every change is noticed."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from chatapp.consumers.login import Login

pytestmark = pytest.mark.django_db

CHANGES: dict[str, Callable[[User], object]] = {
    "signed out": lambda user: Session.objects.all().delete(),
    "expired": lambda user: Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1)),
    "locked": lambda user: User.objects.update(is_active=False),
    "password": lambda user: User.objects.update(password=make_password("another-horse-8")),
    "deleted": lambda user: user.delete(),
}


@pytest.fixture
def login(client: Client, user: User) -> Login:
    login = Login(client.cookies[settings.SESSION_COOKIE_NAME].value, user.pk)
    assert login.stands()
    return login


def test_nothing_changed_is_one_query(
    login: Login, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(1):
        assert login.stands()


@pytest.mark.parametrize("change", CHANGES)
def test_it_ends_with(login: Login, user: User, change: str) -> None:
    CHANGES[change](user)
    assert not login.stands()
    assert not login.stands()


def test_a_session_that_holds_something_new_still_stands(login: Login, client: Client) -> None:
    session = client.session
    session["something"] = "new"
    session.save()
    assert login.stands()


def test_a_session_is_nobody_elses(login: Login, stranger: User) -> None:
    assert not Login(login.session_key, stranger.pk).stands()
    assert not Login(login.session_key, None).stands()
