"""The rights that a user of the database needs: each command that the store sends, tried without running it."""

from contextlib import suppress

import redis

from voteweb.core.errors import ConfigError, Unavailable
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command
from voteweb.store.connection.transport import replies_to

#: The commands that the store and its scripts send, by the number of arguments with which a server accepts them.
COMMANDS = {
    0: "EXEC MULTI TIME",
    1: """BITCOUNT BITFIELD_RO DEL EXISTS EXPIRETIME GET HGETALL HKEYS HLEN HRANDFIELD INCR LLEN PERSIST PEXPIRETIME
        PTTL RPOP SCAN SCARD SMEMBERS STRLEN TTL TYPE UNLINK XLEN ZCARD""",
    2: """EXPIRE EXPIREAT GETBIT HDEL HEXISTS HGET HMGET HSCAN INCRBY LINDEX LPOS LPUSH PEXPIREAT RENAME RPUSH SADD SET
        SISMEMBER SMISMEMBER SREM SSCAN ZMSCORE ZREM ZREVRANK ZSCAN ZSCORE""",
    3: """GETRANGE HINCRBY HSET HSETNX LRANGE LREM LSET LTRIM SETBIT XRANGE XREVRANGE ZADD ZCOUNT ZRANGE
        ZRANGEBYSCORE ZREMRANGEBYRANK ZREMRANGEBYSCORE ZREVRANGE ZREVRANGEBYSCORE""",
    4: "LINSERT XADD ZRANGESTORE",
}
#: Those whose arguments are more than keys.
OTHER_COMMANDS: tuple[Command, ...] = (
    ("EVALSHA", "0" * 40, "0"),
    ("SCRIPT", "LOAD", "return 0"),
    ("INFO", "server"),
)
#: Sent only where writes wait for replicas.
WAITING_COMMANDS: tuple[Command, ...] = (("PUBLISH", "voteweb", ""), ("WAIT", "0", "1"))
#: Sent only in a cluster, after CLUSTER SLOTS, without which nothing is sent.
CLUSTER_COMMANDS: tuple[Command, ...] = (("ASKING",),)


class Rights:
    """The rights of the connection's user on the server."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def refuse_missing(self) -> None:
        """Raise ConfigError that names the commands, keys or channel that the user may not use, if there are any.

        Silent if the database is unavailable: the next command reports that. Raises ConfigError also where it is a node
        of a cluster to which other keys belong, and the address is that of one server.
        """
        with suppress(Unavailable):
            if missing := self._missing():
                prefix = self._connection.keys.prefix
                raise ConfigError(
                    "The database does not allow its user what voteweb needs: %(missing)s.%(advice)s Give it the "
                    "rights of deploy/redis/users.acl%(change)s.",
                    missing=", ".join(missing),
                    advice=" Is VOTEWEB_SITE right?" if missing == [self._all_keys()] else "",
                    change=f", with ~{prefix}* in place of ~*" if prefix else "",
                )

    def _missing(self) -> list[str]:
        key = self._connection.keys.last_article_id()
        commands = [
            *((name, *[key] * count) for count, names in COMMANDS.items() for name in names.split()),
            ("XREAD", "STREAMS", key, "0"),
            ("ZINTERSTORE", key, "1", key),
            *OTHER_COMMANDS,
            *(WAITING_COMMANDS if self._connection.wait_replicas else ()),
            *(CLUSTER_COMMANDS if self._connection.in_cluster else ()),
        ]
        return self._refused([("MULTI",), ("DISCARD",)]) or self._refused_in_transaction(commands)

    def _refused_in_transaction(self, commands: list[Command]) -> list[str]:
        """Return which of *commands* are refused when they are queued for a transaction, which is then given up."""
        transaction = [command for command in commands if command[0] not in ("MULTI", "EXEC")]
        missing = self._refused([("MULTI",), *transaction, ("DISCARD",)])
        return missing + self._refused([("EXEC",)])  # which outside of a transaction does nothing

    def _refused(self, commands: list[Command]) -> list[str]:
        """Return the names of those of *commands* that the user may not send, and what keys or channel they lack."""
        client = self._connection.client
        replies = self._connection.retry_until_deadline(lambda: replies_to(client, commands, raw=True))
        if not self._connection.in_cluster and any(isinstance(reply, redis.exceptions.MovedError) for reply in replies):
            raise ConfigError(
                "The database is a node of a cluster, which keeps the site on another node. Begin VOTEWEB_REDIS_URL "
                "with redis+cluster:// or, with TLS, rediss+cluster://, and set VOTEWEB_SITE."
            )
        refused = {
            " ".join(command[:2]) if command[0] == "SCRIPT" else command[0]: str(reply)
            for command, reply in zip(commands, replies, strict=True)
            if isinstance(reply, redis.exceptions.NoPermissionError)
            or (isinstance(reply, redis.ResponseError) and "NOPERM" in str(reply))  # EXEC says EXECABORT
        }
        if refused and all("key" in reason for reason in refused.values()):
            return [self._all_keys()]
        if list(refused) == ["PUBLISH"] and "channel" in refused["PUBLISH"]:
            return ["the channel voteweb"]
        return list(refused)

    def _all_keys(self) -> str:
        return f"the keys {self._connection.keys.prefix}*"
