"""How errors are answered: a page for people, JSON for scripts and htmx, never a 500 on the way."""

import logging

import pytest
from django.db import OperationalError
from django.http import Http404
from django.test import Client, RequestFactory
from pytest_django import Settings

from chatapp import errors
from chatapp.logs import ServiceAway

PAGE, JSON = "text/html,application/xhtml+xml,*/*;q=0.8", "application/json"


@pytest.mark.parametrize(
    ("headers", "json"),
    [
        ({"accept": PAGE}, False),
        ({}, False),
        ({"accept": JSON}, True),
        ({"accept": "*/*"}, True),
        ({"accept": PAGE, "HX-Request": "true"}, True),
    ],
)
def test_who_gets_json(headers: dict[str, str], json: bool) -> None:
    assert errors.wants_json(RequestFactory().get("/", headers=headers)) is json


@pytest.mark.django_db
@pytest.mark.parametrize("status", [400, 403, 404, 409])
def test_a_page_tells_the_reason_and_what_can_be_done(client: Client, status: int) -> None:
    request = RequestFactory().get("/", headers={"accept": PAGE})
    answer = errors.error_response(request, status, "The reason.", "The hint.")
    assert answer.status_code == status
    assert "The reason." in answer.content.decode()
    assert "The hint." in answer.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("accept", [PAGE, JSON])
def test_a_foreign_host_is_a_400_that_names_the_setting(anonymous: Client, accept: str) -> None:
    answer = anonymous.get("/", headers={"host": "evil.example.org", "accept": accept})
    assert answer.status_code == 400
    assert "ALLOWED_HOSTS" in answer.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("accept", [PAGE, JSON])
@pytest.mark.parametrize("fields", [{"text": "x" * 2000}, dict.fromkeys("abcd", "")])
def test_a_body_that_is_too_large_is_a_400_that_says_so(
    client: Client, settings: Settings, caplog: pytest.LogCaptureFixture, accept: str, fields: dict[str, str]
) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE, settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 1000, 3
    answer = client.post("/threads/", fields, headers={"accept": accept})
    assert answer.status_code == 400
    assert "The message is too long." in answer.content.decode()
    assert "ALLOWED_HOSTS" not in answer.content.decode()
    assert [record.exc_info for record in caplog.records] == [None]


@pytest.mark.django_db
def test_a_body_that_is_broken_is_a_400_without_a_traceback(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    answer = client.post("/threads/", b"x", content_type="multipart/form-data", headers={"accept": JSON})
    assert answer.status_code == 400
    assert "ALLOWED_HOSTS" not in answer.content.decode()
    assert [record.exc_info for record in caplog.records] == [None]


@pytest.mark.django_db
@pytest.mark.parametrize("accept", [PAGE, JSON])
def test_an_unknown_path_is_a_404(anonymous: Client, accept: str) -> None:
    answer = anonymous.get("/no/such/path", headers={"accept": accept})
    assert answer.status_code == 404
    assert answer.headers["Content-Type"].startswith("text/html" if accept == PAGE else JSON)


def test_a_500_needs_no_database() -> None:
    request = RequestFactory().get("/", headers={"accept": PAGE})
    assert errors.server_error(request).status_code == 500


def test_too_many_requests_has_a_page_of_its_own() -> None:
    request = RequestFactory().get("/", headers={"accept": PAGE})
    assert errors.error_response(request, 429, "Too fast.").status_code == 429


def test_what_was_not_found_is_not_told(client: Client) -> None:
    request = RequestFactory().get("/", headers={"accept": JSON})
    answer = errors.not_found(request, Http404("Thread 7 of somebody else"))
    assert b"somebody" not in answer.content


@pytest.mark.parametrize("accept", [PAGE, JSON])
def test_a_database_that_is_away_is_a_503_that_needs_no_database(accept: str) -> None:
    request = RequestFactory().get("/", headers={"accept": accept})
    try:
        raise OperationalError("database or disk is full")
    except OperationalError:
        answer = errors.server_error(request)
    assert answer.status_code == 503
    assert "disk is full" not in answer.content.decode()


def test_a_database_that_is_away_is_one_line_in_the_log() -> None:
    error = OperationalError("database is locked")
    told = logging.makeLogRecord({"msg": "Internal Server Error", "exc_info": (type(error), error, None)})
    assert ServiceAway().filter(told)
    assert (told.getMessage(), told.exc_info) == ("Internal Server Error: database is locked", None)
