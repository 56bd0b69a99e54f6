"""Pages that allauth lacks."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from chatapp.errors import error_response


@login_not_required
def no_reset(request: HttpRequest) -> HttpResponse:
    hint = _("Ask the operator for a new password: manage.py changepassword <username> sets one.")
    return error_response(request, 404, _("This server sends no e-mail."), hint)
