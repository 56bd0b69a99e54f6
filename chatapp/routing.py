"""The paths of the sockets. What is none of them is closed by the last route in `asgi`."""

from django.urls import path

from chatapp.consumers.thread import thread_socket
from chatapp.consumers.user import user_socket

websocket_urlpatterns = [
    path("ws/threads/<uuid:thread_id>/", thread_socket),
    path("ws/user/", user_socket),
]
