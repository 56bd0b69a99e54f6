"""The event log: numbered frames of runs, written in batches, then published.

Owns the rows of `RunEvent` and the delivery to the sockets of this process. It knows nothing of
commands, and nothing waits for who listens.
"""

from chatapp.eventlog.channel import RunChannel
from chatapp.eventlog.frames import Frame
from chatapp.eventlog.hub import Delivery, Hub, Subscription, hub
from chatapp.eventlog.log import EventLog
from chatapp.eventlog.partial import PartialText, partial_entries, partial_of, partial_text
from chatapp.eventlog.reading import is_known, last_seq, read_after, read_piece, tail
from chatapp.eventlog.relay import Relay, reaches_other_processes
from chatapp.eventlog.rows import forget, publish, quiet_since, record

__all__ = [
    "Delivery",
    "EventLog",
    "Frame",
    "Hub",
    "PartialText",
    "Relay",
    "RunChannel",
    "Subscription",
    "forget",
    "hub",
    "is_known",
    "last_seq",
    "partial_entries",
    "partial_of",
    "partial_text",
    "publish",
    "quiet_since",
    "reaches_other_processes",
    "read_after",
    "read_piece",
    "record",
    "tail",
]
