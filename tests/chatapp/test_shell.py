"""What stands around every conversation, as the server renders it: list, menus, account and error pages."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.template.loader import render_to_string
from django.test import Client, RequestFactory
from pytest_django import Settings

from chatapp.history.rows import RowState, Sidebar, SidebarGroup, SidebarRow

ERRORS = ["400.html", "403.html", "404.html", "429.html", "500.html", "error.html"]
INLINE = re.compile(r"<style|\sstyle=|\son\w+=|<script(?![^>]*(\ssrc=|application/json))", re.IGNORECASE)


def html_of(answer: HttpResponse) -> str:
    return answer.content.decode()


def row(title: str = "Tax letter", *, state: RowState = "idle", selected: bool = False) -> SidebarRow:
    return SidebarRow(UUID(int=7), title, state, datetime(2026, 5, 4, tzinfo=UTC), selected)


def chats(*rows: SidebarRow, before: str | None = None) -> str:
    sidebar = Sidebar((SidebarGroup("Today", rows),), before)
    return render_to_string("chatapp/sidebar/_chats.html", {"sidebar": sidebar})


@pytest.mark.parametrize(
    ("cookie", "attribute"),
    [
        ("theme=dark", 'data-theme="dark"'),
        ("theme=light", 'data-theme="light"'),
        ("sidebar=hidden", 'data-sidebar="hidden"'),
    ],
)
def test_the_page_comes_as_its_cookies_say(client: Client, cookie: str, attribute: str) -> None:
    name, _, value = cookie.partition("=")
    client.cookies[name] = value
    assert attribute in html_of(client.get("/"))


@pytest.mark.parametrize("value", ["", "blue", '"><script>'])
def test_a_strange_theme_is_the_systems(client: Client, value: str) -> None:
    client.cookies["theme"] = value
    assert "data-theme=" not in html_of(client.get("/")).split("<head>")[0]


@pytest.mark.parametrize(
    "path", ["/", "/accounts/password/change/", "/accounts/logout/", "/accounts/email/", "/nothing/"]
)
def test_pages_obey_the_strict_policy(client: Client, path: str) -> None:
    assert not INLINE.search(html_of(client.get(path)))


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/accounts/login/", "/accounts/signup/"])
def test_entrances_obey_the_strict_policy(anonymous: Client, path: str) -> None:
    assert not INLINE.search(html_of(anonymous.get(path)))


@pytest.mark.parametrize("template", ERRORS)
def test_error_pages_need_no_database(template: str) -> None:
    page = render_to_string(template, {"error": "The reason."}, RequestFactory().get("/"))
    assert '<h1 class="line-title">' in page


@pytest.mark.parametrize("template", ERRORS)
def test_error_pages_need_no_request(template: str) -> None:
    assert "<title>" in render_to_string(template, {"error": "The reason."})


def test_a_missing_chat_is_told_apart_from_a_missing_page(client: Client) -> None:
    assert "This chat is not here." in html_of(client.get(f"/threads/{UUID(int=1)}/"))
    assert "This chat is not here." not in html_of(client.get("/nothing/"))


def test_a_failed_command_does_not_claim_that_it_was_saved() -> None:
    page = render_to_string("500.html", {}, RequestFactory().post("/threads/"))
    assert "What you had sent is saved." not in page


def test_the_words_of_the_scripts_are_json() -> None:
    script = render_to_string("chatapp/_words.html")
    words = json.loads(script[script.index("{") : script.rindex("}") + 1])
    assert words["composer.hint"] == "Enter sends · Shift + Enter makes a new line"


@pytest.mark.parametrize(
    ("state", "word"),
    [
        ("live", "Writing"),
        ("waiting", "Needs you"),
        ("interrupted", "Interrupted"),
        ("failed", "Failed"),
        ("unread", "Unread"),
    ],
)
def test_each_state_of_a_row_stands_in_words(state: RowState, word: str) -> None:
    assert word in chats(row(state=state))


def test_an_idle_row_has_no_mark() -> None:
    assert "row-mark" not in chats(row())


def test_only_the_open_chat_is_the_current_page() -> None:
    assert chats(row(selected=True), row()).count('aria-current="page"') == 1


def test_a_title_stays_text() -> None:
    assert "<img" not in chats(row('<img src=x onerror="alert(1)">'))


def test_older_chats_are_asked_for_from_the_cursor_on() -> None:
    assert "/sidebar/?before=2026-05-04T00%3A00%3A00%2B00%3A00~7" in chats(
        row(), before="2026-05-04T00:00:00+00:00~7"
    )


def test_an_empty_list_says_so(client: Client) -> None:
    assert "Your chats will be listed here." in html_of(client.get("/sidebar/"))


def test_only_an_operator_is_shown_the_admin(
    client: Client, client_for: Callable[[User], Client], operator: User
) -> None:
    assert 'href="/admin/"' not in html_of(client.get("/"))
    assert 'href="/admin/"' in html_of(client_for(operator).get("/"))


@pytest.mark.django_db
def test_the_first_account_is_told_what_it_becomes(anonymous: Client) -> None:
    assert "It will be the operator of this server." in html_of(anonymous.get("/accounts/signup/"))


@pytest.mark.parametrize(("signup", "linked"), [("open", True), ("first", False), ("closed", False)])
def test_sign_up_is_linked_only_while_it_is_open(
    anonymous: Client, user: User, settings: Settings, signup: str, linked: bool
) -> None:
    settings.SIGNUP = signup
    assert ("Make an account" in html_of(anonymous.get("/accounts/login/"))) is linked


@pytest.mark.django_db
def test_an_error_is_tied_to_its_field(anonymous: Client) -> None:
    page = html_of(
        anonymous.post("/accounts/signup/", {"username": "a b", "password1": "x", "password2": "x"})
    )
    field = re.search(r'<input[^>]*name="username"[^>]*>', page)
    assert field is not None
    assert 'aria-invalid="true"' in field[0]
    assert "id_username_error" in field[0]
    assert 'id="id_username_error"' in page


def test_signing_in_leaves_no_notice_behind(client: Client, anonymous: Client, user: User) -> None:
    anonymous.post("/accounts/login/", {"login": "owner", "password": "correct-horse-7"})
    assert "Successfully signed in" not in html_of(anonymous.get("/"))
