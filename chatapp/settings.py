"""Django's settings. What a deployment may change comes from the environment (README, "Configuration")."""

import os
from pathlib import Path

import environ
from csp.constants import NONE, SELF
from django.utils.translation import gettext_lazy as _

from chatapp import environment
from chatapp.logs import logging_config

env = environ.Env()

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = Path(env.str("VAR_DIR", str(BASE_DIR / "var"))).resolve()
VAR_DIR.mkdir(parents=True, exist_ok=True)

# --- where it is served ---------------------------------------------------------------------------
HOST = env.str("HOST", "127.0.0.1")
PORT = env.int("PORT", 8000)
PUBLIC_URL = env.str("PUBLIC_URL", "")
PUBLIC_ORIGIN = environment.origin(PUBLIC_URL)
ALLOWED_HOSTS = environment.allowed_hosts(
    env.list("ALLOWED_HOSTS", default=[]), host=HOST, public_url=PUBLIC_URL
)
SITE_NAME = env.str("SITE_NAME", "chatapp")
DEBUG = env.bool("DEBUG", False)

# How many requests are worked on at once; the others wait in line.
WEB_THREADS = env.int("WEB_THREADS", 32)

# --- database -------------------------------------------------------------------------------------
# No ATOMIC_REQUESTS: on SQLite it would take the write lock for every page that is only read.
# More connections than web threads, so that a stop that waits for a run never keeps it from its connection.
DATABASES = {
    "default": environment.database(env.str("DATABASE_URL", ""), var=VAR_DIR, pool_size=WEB_THREADS + 24)
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
IS_SQLITE = environment.is_sqlite(DATABASES["default"])

SECRET_KEY = environment.secret_key(
    env.str("SECRET_KEY", ""), local=IS_SQLITE and not PUBLIC_URL, var=VAR_DIR
)

# --- processes ------------------------------------------------------------------------------------
REDIS_URL = env.str("REDIS_URL", "")
CHANNEL_LAYERS = {"default": environment.channel_layer(REDIS_URL)}
CACHES = {"default": environment.cache(REDIS_URL)}
RUN_EXECUTOR = env.str("RUN_EXECUTOR", "inprocess")
MAX_RUNS = env.int("MAX_RUNS", 200)
MAX_RUNS_PER_USER = env.int("MAX_RUNS_PER_USER", 100)
PROCRASTINATE_IMPORT_PATHS = ["chatapp.executor.tasks"]
PROCRASTINATE_AUTODISCOVER_MODULE_NAME = ""
PROCRASTINATE_WORKER_DEFAULTS = environment.worker_defaults(MAX_RUNS)

# --- agents ---------------------------------------------------------------------------------------
CHAT_MODEL = environment.chat_model(os.environ)
ASSISTANTS = env.list("ASSISTANTS", default=[])

# --- applications ---------------------------------------------------------------------------------
INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "csp",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "agents",
    "chatapp",
]
if RUN_EXECUTOR == "procrastinate" and not IS_SQLITE:
    # Behind chatapp, whose command of the same name goes before its own. Its migrations need Postgres.
    INSTALLED_APPS.append("procrastinate.contrib.django")

# All of these run in one thread, one hop from the event loop (chatapp/handler.py); static files do not
# pass them (chatapp/asgi.py).
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    # Before the CSRF check: who is not logged in learns that, and not that a token is missing.
    "chatapp.accounts.middleware.LoginRequiredMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "chatapp.accounts.limits.SendLimitMiddleware",
    "chatapp.accounts.middleware.TimeZoneMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "chatapp.urls"
ASGI_APPLICATION = "chatapp.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": ["chatapp.templatetags.icons"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "chatapp.accounts.context.site",
            ],
        },
    },
]

# --- static files ---------------------------------------------------------------------------------
STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "chatapp.storage.StaticStorage"},
}
STATIC_FROM_SOURCE = DEBUG
MEDIA_ROOT = VAR_DIR / "media"

# --- languages and time ---------------------------------------------------------------------------
LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = env.str("TIME_ZONE", "UTC")

# --- accounts -------------------------------------------------------------------------------------
SIGNUP = env.str("SIGNUP", "first")
RATE_LIMITS = env.bool("RATE_LIMITS", True)
SEND_LIMIT = env.int("SEND_LIMIT", 60) if RATE_LIMITS else 0  # a minute
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "account_login"

EMAIL_URL = env.str("EMAIL_URL", "")
HAS_EMAIL = bool(EMAIL_URL)
EMAIL_CONFIG = env.email_url("EMAIL_URL") if HAS_EMAIL else {"EMAIL_BACKEND": environment.NO_EMAIL}
vars().update(EMAIL_CONFIG)
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", f"{SITE_NAME} <webmaster@localhost>")

ACCOUNT_ADAPTER = "chatapp.accounts.adapter.AccountAdapter"
SOCIALACCOUNT_ADAPTER = "chatapp.accounts.adapter.SocialAccountAdapter"
ACCOUNT_FORMS = {"signup": "chatapp.accounts.forms.SignupForm"}
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "optional" if HAS_EMAIL else "none"
ACCOUNT_EMAIL_NOTIFICATIONS = HAS_EMAIL
ACCOUNT_EMAIL_SUBJECT_PREFIX = f"[{SITE_NAME}] "
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if PUBLIC_ORIGIN.startswith("https://") else "http"
ACCOUNT_SESSION_REMEMBER = True
if not RATE_LIMITS:
    ACCOUNT_RATE_LIMITS = False

MFA_TOTP_ISSUER = SITE_NAME
SOCIALACCOUNT_PROVIDERS = environment.oidc_providers(os.environ)
HAS_OIDC = bool(SOCIALACCOUNT_PROVIDERS)

# --- security -------------------------------------------------------------------------------------
IS_HTTPS = PUBLIC_ORIGIN.startswith("https://")
CSRF_TRUSTED_ORIGINS = [PUBLIC_ORIGIN] if PUBLIC_ORIGIN else []
CSRF_FAILURE_VIEW = "chatapp.errors.csrf_failure"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = IS_HTTPS
LANGUAGE_COOKIE_SAMESITE = "Lax"
SECURE_SSL_REDIRECT = IS_HTTPS
SECURE_REDIRECT_EXEMPT = [r"^livez$", r"^readyz$"]
SECURE_HSTS_SECONDS = 31_536_000 if IS_HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = False
# What holds for the other names below a domain is for its owner to say, not for one of its hosts.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if IS_HTTPS else None
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],  # data: for the QR code of two-factor set-up
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "base-uri": [SELF],
        "form-action": [SELF, *environment.oidc_origins(os.environ)],
        "frame-ancestors": [NONE],
    }
}

# A message may have 1,000,000 characters of 4 bytes, each of them percent-encoded by the form.
DATA_UPLOAD_MAX_MEMORY_SIZE = 16 * 1024 * 1024

LOGGING = logging_config(debug=DEBUG, style=env.str("LOG_FORMAT", "text"))
