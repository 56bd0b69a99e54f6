"""The static files as they are served: every reference is there, and names change with the content."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.management import call_command
from django.test import override_settings

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """All files, collected as `serve` does. Fails when one names another that is not there."""
    root = tmp_path_factory.mktemp("static")
    storages = {"staticfiles": {"BACKEND": "chatapp.storage.StaticStorage"}}
    with override_settings(STATIC_ROOT=root, STORAGES=storages):
        call_command("collectstatic", interactive=False, verbosity=0)
        yield root


def test_modules_import_each_other_by_their_hashed_names(collected: Path) -> None:
    [app] = collected.glob("chatapp/js/app.????????????.js")
    imports = re.findall(r'from "\./(.+?)"', app.read_text())
    assert imports
    assert all(re.fullmatch(r"\w+\.[0-9a-f]{12}\.js", name) for name in imports)
    assert all((app.parent / name).exists() for name in imports)


def test_every_file_that_a_template_names_is_there(collected: Path) -> None:
    named = {
        name
        for template in TEMPLATES.rglob("*.html")
        for name in re.findall(r"""\{% static ["']([^"']+)["'] %\}""", template.read_text())
    }
    assert named
    assert {name for name in named if not staticfiles_storage.url(name)} == set()


def test_they_are_compressed(collected: Path) -> None:
    [tokens] = collected.glob("chatapp/css/tokens.????????????.css")
    assert tokens.with_name(f"{tokens.name}.gz").exists()
