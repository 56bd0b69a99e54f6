"""What every send does to the web app's own rows, as SQL: the ORM takes longer to build it than to run it."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from agents.stores.orm.transactions import execute, fetch, sql_time, sql_uuid


def touch_thread(thread_id: UUID, at: datetime) -> None:
    """Something was said in it."""
    execute("UPDATE chatapp_thread SET updated_at = %s WHERE id = %s", [sql_time(at), sql_uuid(thread_id)])


def has_queue(thread_id: UUID) -> bool:
    return bool(
        fetch("SELECT 1 FROM chatapp_queuedmessage WHERE thread_id = %s LIMIT 1", [sql_uuid(thread_id)])
    )


def insert_receipt(*, owner_id: int, client_id: UUID, command: str, thread_id: UUID, run_id: str) -> None:
    """IntegrityError where the owner's client_id has one already."""
    ids = [sql_uuid(uuid4()), owner_id, sql_uuid(client_id), sql_uuid(thread_id)]
    execute(
        "INSERT INTO chatapp_receipt (id, owner_id, client_id, thread_id, command, run_id, created_at)"
        " VALUES (%s, %s, %s, %s, %s, %s, @now)",
        [*ids, command, run_id],
    )
