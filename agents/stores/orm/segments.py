"""Segment rows: the one statement that adds one."""

from __future__ import annotations

from typing import Any

from agents.stores.orm.heads import optional_text
from agents.stores.orm.transactions import fetch


def insert_segment(session_id: str, run_id: str, log: Any, length: int, meta: dict[str, Any] | None) -> bool:
    """False: the session has a segment of this run already, and it stays as it is."""
    rows = fetch(
        "INSERT INTO agents_segment (session_id, run_id, log, length, meta, created_at)"
        " VALUES (%s, %s, %s, %s, %s, @now)"
        " ON CONFLICT (session_id, run_id) DO NOTHING RETURNING id",
        [session_id, run_id, log, length, optional_text(meta)],
    )
    return bool(rows)
