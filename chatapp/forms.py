"""What comes in from people, as clean values. What a text or a title may be is the services' rule."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from agents.transcript import clean_text


class CleanTextField(forms.CharField):
    """Text as typed, after the border function."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(strip=False, required=False, **kwargs)

    def to_python(self, value: Any) -> str:
        return clean_text(super().to_python(value) or "")


class ClientIdField(forms.UUIDField):
    """The browser's own name for a command: sent again, the command is not done again."""

    def __init__(self) -> None:
        super().__init__(required=False, error_messages={"invalid": _("The client_id is not a UUID.")})


class MessageForm(forms.Form):
    text = CleanTextField()
    client_id = ClientIdField()


class NewThreadForm(MessageForm):
    assistant = CleanTextField()


class EditForm(MessageForm):
    ref = CleanTextField()


class RegenerateForm(forms.Form):
    client_id = ClientIdField()


class RecoverForm(forms.Form):
    action = CleanTextField()


class QueueForm(forms.Form):
    action = forms.ChoiceField(
        choices=[("go_on", "")],
        error_messages={"required": _("Use the action go_on."), "invalid_choice": _("Use the action go_on.")},
    )


class QueuedForm(forms.Form):
    """A new text, or the action that takes the message back."""

    text = CleanTextField()
    action = forms.ChoiceField(
        choices=[("withdraw", "")],
        required=False,
        error_messages={"invalid_choice": _("Send a text, or the action withdraw.")},
    )


class RenameForm(forms.Form):
    title = CleanTextField()


def reason(form: forms.Form) -> str:
    """The first thing that is wrong with a form, in one sentence."""
    errors = [error for errors in form.errors.as_data().values() for error in errors]
    return str(errors[0].messages[0]) if errors else ""
