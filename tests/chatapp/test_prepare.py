"""What `serve` does before the first request, and does not do a second time."""

import os
from pathlib import Path

import pytest
from django.core import management
from pytest_django import Settings

from chatapp import prepare


@pytest.fixture
def var(settings: Settings, tmp_path: Path) -> Path:
    settings.VAR_DIR = tmp_path
    settings.STATIC_ROOT = tmp_path / "static"
    settings.STATIC_FROM_SOURCE = False
    settings.STATICFILES_DIRS = [tmp_path / "source"]
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "page.css").write_text("a {}")
    return tmp_path


@pytest.fixture
def collections(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The commands that were called."""
    called: list[str] = []
    real = management.call_command

    def call(name: str, **options: object) -> None:
        called.append(name)
        real(name, **options)

    monkeypatch.setattr(prepare, "call_command", call)
    return called


@pytest.mark.django_db
def test_static_files_are_collected_when_they_changed(var: Path, collections: list[str]) -> None:
    prepare.prepare()
    prepare.prepare()
    assert collections == ["collectstatic"]
    write_later(var / "source" / "page.css", "a { color: red }")
    prepare.prepare()
    assert collections == ["collectstatic", "collectstatic"]
    assert "red" in (var / "static" / "page.css").read_text()


def write_later(path: Path, text: str) -> None:
    """A minute after the last time: collectstatic compares whole seconds."""
    then = path.stat().st_mtime + 60
    path.write_text(text)
    os.utime(path, (then, then))


@pytest.mark.django_db
def test_tables_that_are_up_to_date_are_left_alone(var: Path, collections: list[str]) -> None:
    prepare.migrate()
    assert collections == []
