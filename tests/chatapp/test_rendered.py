"""The HTML of stored texts is made once."""

import pytest

from agents.transcript import AssistantTextEntry
from chatapp import rendered
from chatapp.models import RenderedEntry
from chatapp.rendered import html_of
from tests.chatapp.conftest import ask

pytestmark = pytest.mark.django_db(transaction=True)

LONG = "A long **text**. " * 40


def test_a_text_is_rendered_once(thread, monkeypatch):
    first = html_of(thread.id, [LONG])
    monkeypatch.setattr(rendered, "render_blocks", lambda text: pytest.fail("rendered again"))
    assert html_of(thread.id, [LONG]) == first
    assert "<strong>text</strong>" in first[LONG][0]


def test_all_texts_of_a_page_cost_one_query(thread, django_assert_num_queries):
    texts = [f"{n} {LONG}" for n in range(20)]
    html_of(thread.id, texts)
    with django_assert_num_queries(1):
        assert len(html_of(thread.id, texts)) == 20


def test_what_is_tiny_is_not_kept(thread, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert html_of(thread.id, ["*Yes.*"]) == {"*Yes.*": ['<p dir="auto"><em>Yes.</em></p>\n']}


def test_another_renderer_does_not_use_what_the_old_one_made(thread, monkeypatch):
    html_of(thread.id, [LONG])
    monkeypatch.setattr(rendered, "RENDERER_VERSION", -1)
    html_of(thread.id, [LONG])
    assert RenderedEntry.objects.count() == 2


def test_it_goes_with_its_thread(thread):
    html_of(thread.id, [LONG])
    thread.delete()
    assert not RenderedEntry.objects.exists()


def test_a_page_that_was_open_before_renders_nothing(client, thread, add_run, monkeypatch):
    for n in range(5):
        add_run(ask(), AssistantTextEntry(f"{n} {LONG}"))
    first = client.get(f"/threads/{thread.id}/").content.decode()
    monkeypatch.setattr(rendered, "render_blocks", lambda text: pytest.fail("rendered again"))
    again = client.get(f"/threads/{thread.id}/").content.decode()
    assert first.count("<strong>text</strong>") == again.count("<strong>text</strong>") == 200
