"""The paths of the sockets. What is none of them is closed by the last route in `asgi`."""

from typing import Any

from django.urls import path as http_path

from chatapp.consumers.thread import thread_socket
from chatapp.consumers.user import user_socket

path: Any = http_path  # channels' router takes ASGI applications where Django takes views

websocket_urlpatterns = [
    path("ws/threads/<uuid:thread_id>/", thread_socket),
    path("ws/user/", user_socket),
]
