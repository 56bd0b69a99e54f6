"""Every URL of the project."""

from allauth.account.decorators import secure_admin_login
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.decorators import login_not_required
from django.urls import URLPattern, URLResolver, include, path
from django.views.i18n import set_language

from chatapp import health
from chatapp.accounts import views as accounts

# The admin's own form knows neither the rate limits nor a second factor.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

urlpatterns: list[URLPattern | URLResolver] = [
    path("livez", health.livez),
    path("readyz", health.readyz),
    path("admin/", admin.site.urls),
    path("language/", login_not_required(set_language), name="set_language"),
    path("", include("chatapp.views.urls")),
]

# Without a way to send mail allauth's reset would promise one that never comes.
if not settings.HAS_EMAIL:
    urlpatterns.append(path("accounts/password/reset/", accounts.no_reset, name="account_reset_password"))
urlpatterns.append(path("accounts/", include("allauth.urls")))

handler400 = "chatapp.errors.bad_request"
handler403 = "chatapp.errors.forbidden"
handler404 = "chatapp.errors.not_found"
handler500 = "chatapp.errors.server_error"
