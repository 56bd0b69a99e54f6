"""A logout reaches the sockets of its session at once. Sessions are named by a digest, never by their key."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from django.contrib.auth.signals import user_logged_out
from django.dispatch import receiver

from chatapp.eventlog import Delivery, hub
from chatapp.eventlog.hub import user_topic

SIGNED_OUT_FRAME = "signed_out"


@receiver(user_logged_out, dispatch_uid="chatapp.consumers.signout")
def tell_sockets(sender: Any, request: Any, user: Any, **kwargs: Any) -> None:
    session = getattr(request, "session", None)
    if user is not None and session is not None and session.session_key:
        frame = {"type": SIGNED_OUT_FRAME, "session": digest(session.session_key)}
        hub.deliver(user_topic(user.pk), Delivery.of(None, [frame]))


def is_sign_out(delivery: Delivery, session_key: str) -> bool:
    """Whether this very session has ended."""
    return any(
        frame["type"] == SIGNED_OUT_FRAME and frame["session"] == digest(session_key)
        for frame in map(json.loads, (text for _, text in delivery.frames))
    )


def digest(session_key: str) -> str:
    return hashlib.sha256(session_key.encode()).hexdigest()
