"""The cache that several processes share. No answer depends on it, so Redis may be away."""

import logging
from collections.abc import Callable
from functools import cache, wraps
from typing import Any

from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

Method = Callable[..., Any]
logger = logging.getLogger(__name__)

PATIENCE: dict[str, Any] = {
    "socket_connect_timeout": 1.0,
    "socket_timeout": 1.0,
    "retry": Retry(NoBackoff(), 1),  # Redis may have closed a connection that was kept
}


def unless_away(method: Method, otherwise: Method) -> Method:
    """The method; where Redis cannot do it, one line in the log, and what `otherwise` says."""

    @wraps(method)
    def answer(client: RedisCacheClient, *args: Any, **kwargs: Any) -> Any:
        try:
            return method(client, *args, **kwargs)
        except RedisError as error:
            logger.warning("Redis: %s", error)
            return otherwise(*args, **kwargs)

    return answer


class ForgetfulClient(RedisCacheClient):
    """Where Redis is away it is like one that is empty, and keeps nothing of what it is given."""

    add = unless_away(RedisCacheClient.add, lambda *entry: True)
    get = unless_away(RedisCacheClient.get, lambda key, default: default)
    set = unless_away(RedisCacheClient.set, lambda *entry: None)
    touch = unless_away(RedisCacheClient.touch, lambda *entry: False)
    delete = unless_away(RedisCacheClient.delete, lambda key: False)
    get_many = unless_away(RedisCacheClient.get_many, lambda keys: {})
    has_key = unless_away(RedisCacheClient.has_key, lambda key: False)
    incr = unless_away(RedisCacheClient.incr, lambda key, delta: delta)
    set_many = unless_away(RedisCacheClient.set_many, lambda *entries: None)
    delete_many = unless_away(RedisCacheClient.delete_many, lambda keys: None)
    clear = unless_away(RedisCacheClient.clear, lambda: False)

    def __init__(self, servers: list[str], **options: Any) -> None:
        super().__init__(servers, **(PATIENCE | options))


class SharedCache(RedisCache):
    """Django makes one of these for each request; the client, with its connections, is the process's."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._cache = client_of(server)

    def ping(self) -> None:
        """Raises where Redis is away."""
        self._cache.get_client().ping()


@cache
def client_of(server: str) -> ForgetfulClient:
    return ForgetfulClient([server])
