"""The write side: every command of the web app.

Plain sync functions, called in worker threads. Each waits outside (for a stopping run), then does all of
its writes in one transaction that holds the thread, and publishes after the commit. They raise `Refused`
(409) and `Invalid` (400), and change nothing when they do.
"""

from chatapp.services.editing import edit, regenerate
from chatapp.services.errors import Invalid, Refused
from chatapp.services.queueing import edit_queued, go_on, withdraw
from chatapp.services.recovering import Recovered, recover
from chatapp.services.sending import Sent, new_thread, send
from chatapp.services.settling import stop
from chatapp.services.threads import delete, delete_user, keep, rename

__all__ = [
    "Invalid",
    "Recovered",
    "Refused",
    "Sent",
    "delete",
    "delete_user",
    "edit",
    "edit_queued",
    "go_on",
    "keep",
    "new_thread",
    "recover",
    "regenerate",
    "rename",
    "send",
    "stop",
    "withdraw",
]
