"""The longer texts, one Markdown file for each and language."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def read_text(name: str, *, is_chinese: bool) -> str:
    """A text by its name, such as `leases`."""
    path = Path(__file__).with_name(f"{name}.{'zh' if is_chinese else 'en'}.md")
    return path.read_text(encoding="utf-8").strip()
