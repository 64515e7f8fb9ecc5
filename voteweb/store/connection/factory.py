"""From the address of a database to a connection: one server, or a primary and its replicas under Sentinel."""

from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from voteweb.core.errors import ConfigError
from voteweb.store.connection import sentinel
from voteweb.store.connection.connection import ATTEMPT_SHARE, Connection
from voteweb.store.connection.replicas import Replicas


def open_connection(url: str, deadline: float, *, read_replicas: bool = False, wait: int = 0) -> Connection:
    """Return a connection to the database at *url*; raise ConfigError when *url* cannot be one.

    Nothing is sent yet. One attempt may last as long as the whole *deadline* (seconds) does. With *read_replicas*,
    replicas answer readers; a write is done once *wait* replicas have it.
    """
    options: dict[str, Any] = {
        "decode_responses": True,
        "protocol": 3,
        "socket_timeout": deadline,
        "socket_connect_timeout": deadline,
        "retry": Retry(NoBackoff(), 0),
        "health_check_interval": 0,
    }
    try:
        if url.startswith(f"{sentinel.SCHEME}:"):
            client, other = sentinel.clients(url, options, share=deadline * ATTEMPT_SHARE)
            return Connection(client, deadline, replicas=Replicas(other) if read_replicas else None, wait=wait)
        client = redis.Redis.from_url(url, **options)
    except ValueError:  # whose words may hold a piece of the password
        raise ConfigError(
            "VOTEWEB_REDIS_URL is no address of a database, such as redis://:password@host:6379/0 or "
            "redis+sentinel://host:26379,host:26379,host:26379/name. In a password, / ? # @ : %% are written "
            "%%2F %%3F %%23 %%40 %%3A %%25."
        ) from None
    if read_replicas:
        raise ConfigError("VOTEWEB_READ_REPLICAS wants a VOTEWEB_REDIS_URL of the form redis+sentinel://…")
    return Connection(client, deadline, wait=wait)
