"""Whether a socket's session still stands. Asked with every heartbeat of every page that is open."""

from __future__ import annotations

from typing import Any

from agents.stores.orm.transactions import fetch
from chatapp.sockets import user_of

WHAT_COUNTS = (
    "SELECT session_data, password, is_active FROM django_session, auth_user"
    " WHERE session_key = %s AND expire_date > @now AND auth_user.id = %s"
)


class Login:
    """Django's own look at a session and its user is not repeated while the rows that it looks at are the
    same."""

    def __init__(self, session_key: str, user_id: int | None) -> None:
        self.session_key = session_key
        self.user_id = user_id
        self._seen: list[tuple[Any, ...]] = []

    def stands(self) -> bool:
        """In a thread: whether the session is still that of the same, active user."""
        if self.user_id is None:
            return False
        rows = fetch(WHAT_COUNTS, [self.session_key, self.user_id])
        if rows and rows == self._seen:
            return True
        stands = user_of(self.session_key).pk == self.user_id
        self._seen = rows if stands else []
        return stands
