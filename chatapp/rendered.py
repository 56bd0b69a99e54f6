"""The HTML of stored texts. Each is rendered once: a page of old turns costs one query, no rendering."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping
from hashlib import sha256
from uuid import UUID

from django.db import DatabaseError

from chatapp.models import RenderedEntry
from chatapp.render import RENDERER_VERSION, render_blocks

logger = logging.getLogger(__name__)

Blocks = list[str]
TINY = 200  # characters; rendering so little is cheaper than keeping it


def html_of(thread_id: UUID, texts: Iterable[str]) -> dict[str, Blocks]:
    """The blocks of each text of the thread, as safe HTML. One query for all of them."""
    texts = set(texts)
    html = {text: render_blocks(text) for text in texts if len(text) < TINY}
    by_digest = {digest_of(text): text for text in texts if len(text) >= TINY}
    for digest, blocks in _stored(thread_id, by_digest).items():
        html[by_digest[digest]] = blocks
    missing = {digest: text for digest, text in by_digest.items() if text not in html}
    return html | _rendered(thread_id, missing)


def digest_of(text: str) -> str:
    return sha256(f"{RENDERER_VERSION}\n{text}".encode(errors="surrogatepass")).hexdigest()


def _stored(thread_id: UUID, digests: Iterable[str]) -> dict[str, Blocks]:
    wanted = list(digests)
    if not wanted:
        return {}
    rows = RenderedEntry.objects.filter(thread_id=thread_id, digest__in=wanted).values_list("digest", "html")
    return {digest: json.loads(html) for digest, html in rows}


def _rendered(thread_id: UUID, texts: Mapping[str, str]) -> dict[str, Blocks]:
    html = {digest: render_blocks(text) for digest, text in texts.items()}
    rows = [
        RenderedEntry(thread_id=thread_id, digest=digest, html=json.dumps(blocks))
        for digest, blocks in html.items()
    ]
    try:
        RenderedEntry.objects.bulk_create(rows, ignore_conflicts=True)
    except DatabaseError as error:
        logger.warning("rendered text could not be kept: %s", error)  # the page is shown all the same
    return {texts[digest]: blocks for digest, blocks in html.items()}
