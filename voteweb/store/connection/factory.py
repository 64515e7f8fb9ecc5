"""Open the connection to the database at a URL: one server, or a primary that may change."""

import re
from typing import Any
from urllib.parse import urlsplit

import redis
from redis.backoff import NoBackoff
from redis.driver_info import DriverInfo
from redis.maint_notifications import MaintNotificationsConfig
from redis.retry import Retry

from voteweb.core.errors import ConfigError
from voteweb.store.connection import primary, tls
from voteweb.store.connection.connection import ATTEMPT_SHARE, Connection
from voteweb.store.connection.tls import NO_FILES, TlsFiles
from voteweb.store.connection.transport import Pool
from voteweb.store.schema.keys import Keys

#: Each connection would look for the version of redis-py in the files of its package again: half a millisecond.
DRIVER_INFO = DriverInfo()


def open_connection(
    url: str,
    deadline: float,
    *,
    keys: Keys | None = None,
    wait_replicas: int = 0,
    files: TlsFiles = NO_FILES,
) -> Connection:
    """Return a connection to the database at *url*; nothing is sent yet.

    One attempt may take the whole *deadline* (seconds). A write is done once *wait_replicas* replicas have it; *files*
    are those for TLS. Raises ConfigError when *url* is invalid or a file cannot be used.
    """
    options: dict[str, Any] = {
        "decode_responses": True,
        "protocol": 3,
        "socket_timeout": deadline,
        "socket_connect_timeout": deadline,
        "retry": Retry(NoBackoff(), 0),
        "health_check_interval": 0,
        "driver_info": DRIVER_INFO,
        "maint_notifications_config": MaintNotificationsConfig(enabled=False),
    }
    options |= tls.options(url, files)
    try:
        client = _client(url, options, keys or Keys(), attempt_seconds=deadline * ATTEMPT_SHARE)
    except ValueError:  # its message may contain a part of the password
        raise ConfigError(
            "VOTEWEB_REDIS_URL is not the address of a database, such as redis://:password@host:6379/0, "
            "redis+sentinel://host:26379,host:26379,host:26379/name or redis+cluster://host:6379,host:6379,host:6379. "
            "In a password, / ? # @ : %% are written %%2F %%3F %%23 %%40 %%3A %%25."
        ) from None
    in_cluster = url.startswith(primary.CLUSTER_SCHEMES)
    return Connection(client, deadline, keys=keys, wait_replicas=wait_replicas, in_cluster=in_cluster)


def _pool(url: str, options: dict[str, Any]) -> Pool:
    """Return the pool of connections to the server at *url*; raise ValueError for an unusable part of it."""
    parts = urlsplit(url)
    # redis-py takes database 0 for a path that is no number.
    if parts.scheme != "unix" and not re.fullmatch(r"/?|/[0-9]{1,5}", parts.path, re.ASCII):
        raise ValueError("no number of a database")
    pool = Pool.from_url(url, **options)
    pool.connection_kwargs.get("host", "").encode("idna")  # raises a ValueError for a name that no host can have
    try:
        pool.connection_class(**pool.connection_kwargs)
    except (TypeError, redis.RedisError):
        raise ValueError("an option cannot be used") from None
    return pool


def _client(url: str, options: dict[str, Any], keys: Keys, *, attempt_seconds: float) -> redis.Redis:
    """Return a client of the server at *url*, of the primary where that may change; raise ValueError or ConfigError."""
    scheme = url.partition(":")[0]
    if scheme not in (*primary.SENTINEL_SCHEMES, *primary.CLUSTER_SCHEMES):
        return redis.Redis.from_pool(_pool(url, options))
    if scheme in primary.CLUSTER_SCHEMES:
        parts = urlsplit(url)
        if re.search("(^/|&db=)[0-9]*[1-9]", f"{parts.path}&{parts.query}", re.ASCII):
            raise ConfigError("VOTEWEB_REDIS_URL names a database by its number, but a cluster has only database 0.")
        if not keys.name:
            raise ConfigError(
                "A cluster needs VOTEWEB_SITE, the name of the site: it keeps all data of one name on one of its nodes."
            )
    return primary.open_client(url, options, keys=keys, attempt_seconds=attempt_seconds)
