"""Sign-up rules, the operator, logging in and out, and what somebody who is not logged in is told."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.models import SocialAccount, SocialLogin
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.core.cache import cache
from django.db import connection
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse
from pytest_django import Settings

from chatapp.accounts import rules
from chatapp.accounts.adapter import SocialAccountAdapter
from chatapp.accounts.middleware import zone_named
from tests.conftest import PASSWORD, MakeUser

pytestmark = pytest.mark.services

SIGNUP, LOGIN, LOGOUT = "/accounts/signup/", "/accounts/login/", "/accounts/logout/"


def sign_up(client: Client, name: str, **more: str) -> Any:
    form = {"username": name, "password1": PASSWORD, "password2": PASSWORD, **more}
    return client.post(SIGNUP, form)


def accounts() -> dict[str, bool]:
    """Names, and whether they are operators."""
    return {user.username: user.is_superuser and user.is_staff for user in User.objects.all()}


@pytest.mark.django_db
def test_the_first_account_becomes_the_operator_and_is_logged_in(anonymous: Client) -> None:
    answer = sign_up(anonymous, "ada")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/")
    assert accounts() == {"ada": True}
    assert anonymous.get("/admin/").status_code == 200


@pytest.mark.django_db
def test_the_second_account_is_refused(anonymous: Client, user: User) -> None:
    assert sign_up(anonymous, "eve").status_code == 200
    assert "eve" not in accounts()


def test_open_sign_up_makes_one_operator(db: None, settings: Settings) -> None:
    settings.SIGNUP = "open"
    for name in ("ada", "bob"):
        sign_up(Client(), name)
    assert accounts() == {"ada": True, "bob": False}


@pytest.mark.django_db
def test_closed_sign_up_lets_nobody_in(anonymous: Client, settings: Settings) -> None:
    settings.SIGNUP = "closed"
    assert sign_up(anonymous, "ada").status_code == 200
    assert accounts() == {}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("policy", "names"), [("first", 1), ("open", 6)])
def test_of_simultaneous_first_sign_ups_one_is_the_operator(
    policy: str, names: int, settings: Settings
) -> None:
    settings.SIGNUP = policy
    at_once(lambda number: sign_up(Client(), f"user{number}"), times=6)
    assert len(accounts()) == names
    assert list(accounts().values()).count(True) == 1


@pytest.mark.django_db(transaction=True)
def test_one_name_is_given_once(settings: Settings) -> None:
    settings.SIGNUP = "open"
    answers = at_once(lambda number: sign_up(Client(), "ada"), times=4)
    assert {answer.status_code for answer in answers} <= {200, 302}
    assert accounts() == {"ada": True}


def at_once(work: Callable[[int], HttpResponse], times: int) -> list[HttpResponse]:
    answers: list[HttpResponse] = []
    start = threading.Barrier(times)

    def run(number: int) -> None:
        start.wait()
        answers.append(work(number))
        connection.close()

    threads = [threading.Thread(target=run, args=[number]) for number in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


class TestInANetwork:
    """On a HOST that is not loopback the first account needs the token that the server printed."""

    @pytest.fixture(autouse=True)
    def host(self, settings: Settings, db: None) -> None:
        settings.HOST = "0.0.0.0"

    @pytest.mark.parametrize("token", ["", "wrong", "ä"])
    def test_without_the_token_there_is_no_account(self, anonymous: Client, token: str) -> None:
        assert sign_up(anonymous, "eve", token=token).status_code == 200
        assert accounts() == {}

    def test_with_it_there_is(self, anonymous: Client) -> None:
        sign_up(anonymous, "ada", token=f" {rules.signup_token()} ")
        assert accounts() == {"ada": True}

    def test_the_printed_link_fills_it_in(self, anonymous: Client) -> None:
        page = anonymous.get(SIGNUP, {"token": rules.signup_token()})
        assert page.context["form"]["token"].value() == rules.signup_token()

    def test_it_is_worthless_afterwards(self, anonymous: Client, make_user: MakeUser) -> None:
        make_user("ada")
        assert sign_up(anonymous, "eve", token=rules.signup_token()).status_code == 200
        assert accounts() == {"ada": False}

    def test_an_open_server_asks_for_none(self, anonymous: Client, settings: Settings) -> None:
        settings.SIGNUP = "open"
        sign_up(anonymous, "ada")
        assert accounts() == {"ada": True}


@pytest.mark.django_db
class TestIdentityProvider:
    """Accounts that an OpenID Connect provider brings follow the same rules."""

    def bring(self, name: str) -> Any:
        user = User(username=name)
        login = SocialLogin(user=user, account=SocialAccount(provider="oidc", uid=name))
        request = RequestFactory().get("/")
        request.session = SessionStore()
        return SocialAccountAdapter().save_user(request, login)

    def test_the_first_one_becomes_the_operator(self) -> None:
        self.bring("ada")
        assert accounts() == {"ada": True}

    def test_the_second_one_is_refused(self, user: User) -> None:
        with pytest.raises(ImmediateHttpResponse):
            self.bring("eve")
        assert "eve" not in accounts()

    def test_there_is_no_way_around_the_token(self, settings: Settings) -> None:
        settings.HOST = "0.0.0.0"
        assert not SocialAccountAdapter().is_open_for_signup(RequestFactory().get("/"), SocialLogin())

    def test_the_readme_names_its_redirect_address(self) -> None:
        path = reverse("openid_connect_callback", args=["oidc"])
        assert f"`{path}`" in (Path(__file__).parents[2] / "README.md").read_text()


@pytest.mark.django_db
def test_sign_up_with_an_address_works_without_mail(anonymous: Client, settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    assert sign_up(anonymous, "ada", email="ada@example.org").status_code == 302
    assert User.objects.get().email == "ada@example.org"


def test_log_in_and_out(anonymous: Client, user: User) -> None:
    anonymous.post(LOGIN, {"login": user.username, "password": PASSWORD})
    assert anonymous.get("/").status_code == 200
    assert anonymous.get(LOGOUT).status_code == 200  # asks, and does nothing
    assert anonymous.get("/").status_code == 200
    anonymous.post(LOGOUT)
    assert anonymous.get("/").status_code == 302


def test_a_wrong_password_is_no_login(anonymous: Client, user: User) -> None:
    answer = anonymous.post(LOGIN, {"login": user.username, "password": "wrong"})
    assert answer.status_code == 200
    assert anonymous.get("/").status_code == 302


def test_logins_are_limited(anonymous: Client, user: User, settings: Settings) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "2/m/key"}
    for _ in range(3):
        anonymous.post(LOGIN, {"login": user.username, "password": "wrong"})
    anonymous.post(LOGIN, {"login": user.username, "password": PASSWORD})
    assert anonymous.get("/").status_code == 302


@pytest.mark.django_db
class TestNotLoggedIn:
    def test_a_page_leads_to_the_login_and_back(self, anonymous: Client) -> None:
        answer = anonymous.get("/?a=b", headers={"accept": "text/html,*/*"})
        assert (answer.status_code, answer.headers["Location"]) == (302, f"{LOGIN}?next=/%3Fa%3Db")

    @pytest.mark.parametrize(
        "headers", [{"HX-Request": "true", "accept": "text/html"}, {"accept": "application/json"}]
    )
    def test_scripts_and_htmx_get_401(self, anonymous: Client, headers: dict[str, str]) -> None:
        answer = anonymous.get("/", headers=headers)
        assert answer.status_code == 401
        assert set(answer.json()) == {"error", "hint"}

    def test_a_command_without_csrf_token_gets_401_too(self) -> None:
        client = Client(enforce_csrf_checks=True)
        answer = client.post("/threads/", headers={"accept": "application/json"})
        assert answer.status_code == 401

    @pytest.mark.parametrize("path", [LOGIN, "/livez", "/readyz"])
    def test_some_pages_are_for_everybody(self, anonymous: Client, path: str) -> None:
        assert anonymous.get(path).status_code == 200


def test_a_missing_csrf_token_is_403(user: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
    answer = client.post("/threads/", headers={"accept": "application/json"})
    assert answer.status_code == 403
    assert set(answer.json()) == {"error", "hint"}


@pytest.mark.django_db
def test_without_mail_no_reset_is_promised(anonymous: Client) -> None:
    answer = anonymous.get("/accounts/password/reset/", headers={"accept": "text/html"})
    assert answer.status_code == 404
    assert b"changepassword" in answer.content


@pytest.mark.parametrize(
    ("cookie", "zone"),
    [
        ("Asia/Shanghai", "Asia/Shanghai"),
        ("Asia%2FShanghai", "Asia/Shanghai"),
        ("../../etc/passwd", "UTC"),
        ("", "UTC"),
    ],
)
def test_times_are_in_the_zone_of_the_browser(cookie: str, zone: str) -> None:
    assert str(zone_named(cookie) or "UTC") == zone


class TestSendLimit:
    @pytest.fixture(autouse=True)
    def two_a_minute(self, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
        cache.clear()
        monkeypatch.setattr("chatapp.accounts.limits.time.time", lambda: 7_000_030.0)
        settings.SEND_LIMIT = 2

    def send(self, client: Client, number: int) -> Any:
        return [client.post("/threads/", {}, headers={"accept": "application/json"}) for _ in range(number)][
            -1
        ]

    def test_beyond_it_a_command_is_answered_429(self, client: Client) -> None:
        assert self.send(client, 2).status_code != 429
        answer = self.send(client, 1)
        assert answer.status_code == 429
        assert set(answer.json()) == {"error", "hint"}
        assert answer.headers["Retry-After"] == "50"

    def test_reading_is_not_limited(self, client: Client) -> None:
        self.send(client, 3)
        assert client.get("/").status_code == 200

    def test_another_user_has_a_limit_of_their_own(self, client: Client, client_for, stranger: User) -> None:
        self.send(client, 3)
        assert self.send(client_for(stranger), 1).status_code != 429
