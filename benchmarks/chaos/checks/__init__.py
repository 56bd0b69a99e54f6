"""The invariants, each a function from what is stored and what was done to accusations in the ledger."""

from benchmarks.chaos.checks.frames import check_frames, check_screens
from benchmarks.chaos.checks.history import check_histories, check_rest
from benchmarks.chaos.checks.logs import check_log
from benchmarks.chaos.checks.messages import check_messages
from benchmarks.chaos.checks.tools import check_effects, effects_in

__all__ = [
    "check_effects",
    "check_frames",
    "check_histories",
    "check_log",
    "check_messages",
    "check_rest",
    "check_screens",
    "effects_in",
]
