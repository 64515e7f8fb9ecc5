"""Open the connection to the database at a URL: one server, or a primary that may change; its files for TLS."""

import re
import ssl
from typing import Any
from urllib.parse import urlsplit

import redis
from redis.backoff import NoBackoff
from redis.driver_info import DriverInfo
from redis.maint_notifications import MaintNotificationsConfig
from redis.retry import Retry

from voteweb.core.errors import ConfigError
from voteweb.core.settings import Settings, env_name
from voteweb.store.connection import primary
from voteweb.store.connection.connection import ATTEMPT_SHARE, Connection
from voteweb.store.connection.transport import Pool
from voteweb.store.schema.keys import Keys

#: Each connection would look for the version of redis-py in the files of its package again: half a millisecond.
DRIVER_INFO = DriverInfo()
#: The setting of each option of redis-py that is a file for TLS.
_TLS_FILES = {
    "ssl_ca_certs": "redis_ca_file",
    "ssl_certfile": "redis_certificate_file",
    "ssl_keyfile": "redis_key_file",
}
_CERTIFICATE_VARIABLE, _KEY_VARIABLE = map(env_name, ("redis_certificate_file", "redis_key_file"))


def open_connection(settings: Settings, keys: Keys | None = None) -> Connection:
    """Return a connection to the database of *settings*; nothing is sent yet.

    One attempt may take the whole deadline. *keys* are those of ``settings.site`` by default. Raises ConfigError when
    the URL is invalid or a file for TLS cannot be used.
    """
    url, deadline, keys = settings.redis_url, settings.redis_deadline, keys or Keys.of_site(settings.site)
    options: dict[str, Any] = {
        "decode_responses": True,
        "protocol": 3,
        "socket_timeout": deadline,
        "socket_connect_timeout": deadline,
        "retry": Retry(NoBackoff(), 0),
        "health_check_interval": 0,
        "driver_info": DRIVER_INFO,
        "maint_notifications_config": MaintNotificationsConfig(enabled=False),
        **_tls_options(settings),
    }
    try:
        client = _client(url, options, keys, attempt_seconds=deadline * ATTEMPT_SHARE)
    except ValueError:  # its message may contain a part of the password
        raise ConfigError(
            "VOTEWEB_REDIS_URL is not the address of a database, such as redis://:password@host:6379/0, "
            "redis+sentinel://host:26379,host:26379,host:26379/name or redis+cluster://host:6379,host:6379,host:6379. "
            "In a password, / ? # @ : %% are written %%2F %%3F %%23 %%40 %%3A %%25."
        ) from None
    in_cluster = url.startswith(primary.CLUSTER_SCHEMES)
    return Connection(client, deadline, keys=keys, wait_replicas=settings.wait_replicas, in_cluster=in_cluster)


def _tls_options(settings: Settings) -> dict[str, str]:
    """Return the options of redis-py's connections that name files for TLS, read whenever a connection is opened.

    Raises ConfigError when a file cannot be used, or would not be used.
    """
    files = {option: file for option, name in _TLS_FILES.items() if (file := getattr(settings, name))}
    for option, file in reversed(files.items()):  # the key first: without it OpenSSL blames the certificate
        variable = env_name(_TLS_FILES[option])
        if not settings.redis_url.startswith("rediss"):
            raise ConfigError("%(name)s requires a VOTEWEB_REDIS_URL that begins with rediss.", name=variable)
        try:
            open(file, "rb").close()
            _load(option, file, settings.redis_key_file)
        except OSError as error:  # OpenSSL's too
            raise ConfigError(
                "%(name)s, %(file)s, cannot be used: %(reason)s.", name=variable, file=file, reason=error.strerror
            ) from None
    if "ssl_keyfile" in files and "ssl_certfile" not in files:
        raise ConfigError("%(name)s requires %(other)s.", name=_KEY_VARIABLE, other=_CERTIFICATE_VARIABLE)
    return files


def _load(option: str, file: str, key: str) -> None:
    """Read *file* as a connection would; raise OSError if it cannot be used, or not with the *key*."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if option == "ssl_ca_certs":
        context.load_verify_locations(file)
    elif option == "ssl_certfile":
        context.load_cert_chain(file, key or file, password=_refuse_passphrase)


def _refuse_passphrase() -> str:
    """Refuse a key with a passphrase, for which OpenSSL would ask at the terminal of each process."""
    raise ConfigError(
        "The key of %(name)s has a passphrase: write it to a file without one.", name=_CERTIFICATE_VARIABLE
    )


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
        _, parts = primary.split_servers(url)
        if re.search("(^/|&db=)[0-9]*[1-9]", f"{parts.path}&{parts.query}", re.ASCII):
            raise ConfigError("VOTEWEB_REDIS_URL names a database by its number, but a cluster has only database 0.")
        if not keys.name:
            raise ConfigError(
                "A cluster needs VOTEWEB_SITE, the name of the site: it keeps all data of one name on one of its nodes."
            )
    return primary.open_client(url, options, keys=keys, attempt_seconds=attempt_seconds)
