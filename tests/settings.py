"""The product's settings without what only makes tests slow. DATABASE_URL and REDIS_URL still count."""

import os

# Whatever else the machine's environment holds, tests talk to no real model.
for name in (
    "CHAT_MODEL",
    "ASSISTANTS",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
):
    os.environ.pop(name, None)
for name in ("PUBLIC_URL", "EMAIL_URL", "SIGNUP", "ALLOWED_HOSTS", "HOST", "DEBUG", "OIDC_ISSUER"):
    os.environ.pop(name, None)
os.environ.setdefault("SECRET_KEY", "only-for-tests-" + "x" * 50)

from chatapp.settings import *  # noqa: E402,F403  (the environment has to be clean first)

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
STATIC_FROM_SOURCE = True
ACCOUNT_RATE_LIMITS = False
RATE_LIMITS = False
SEND_LIMIT = 0
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
