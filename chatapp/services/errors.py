"""Why a command was not carried out. Nothing was changed, and nothing that was typed is lost."""

from agents.errors import UserError


class Invalid(UserError):
    """The input cannot be taken as it is (400)."""


class Refused(UserError):
    """The thread is not in a state for this command, or has changed since (409)."""
