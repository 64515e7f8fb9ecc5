"""Look at the database past the store; the prefix of the site is added to keys in commands and removed in replies."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import redis

from voteweb.store import Store
from voteweb.store.doctor import Finding

#: The command and arguments that read a whole key of each type.
READ_COMMANDS: dict[str, tuple[Any, ...]] = {
    "string": ("GET",),
    "hash": ("HGETALL",),
    "set": ("SMEMBERS",),
    "zset": ("ZRANGE", 0, -1, "WITHSCORES"),
    "list": ("LRANGE", 0, -1),
    "stream": ("XRANGE", "-", "+"),
}


class PrefixedClient(redis.Redis):
    """A client that puts *prefix* before the keys of every command, for a caller that knows of none."""

    def __init__(self, client: redis.Redis, prefix: str) -> None:
        super().__init__(connection_pool=client.connection_pool)
        self._prefix = prefix

    def execute_command(self, *command: Any, **options: Any) -> Any:
        if command[0] == "KEYS":
            keys = super().execute_command("KEYS", self._prefix + command[1])
            return [key.removeprefix(self._prefix) for key in keys]
        return super().execute_command(*self._with_prefix(command), **options)

    def _with_prefix(self, command: tuple[Any, ...]) -> list[Any]:
        prefixed, at = list(command), 1
        for key in self._keys_of(command):
            at = prefixed.index(key, at)
            prefixed[at] = self._prefix + key
        return prefixed

    def _keys_of(self, command: tuple[Any, ...]) -> list[str]:
        try:
            return list(super().execute_command("COMMAND GETKEYS", *command))
        except redis.ResponseError:  # a command without keys
            return []


def raw_client(store: Store) -> redis.Redis:
    """Return a client for programs that know the names of the keys, but not the site's prefix."""
    client = store.connection.client
    return PrefixedClient(client, store.keys.prefix) if store.keys.prefix else client


def run(store: Store, *command: Any) -> Any:
    """Run a raw command, as another program would."""
    return raw_client(store).execute_command(*command)


def without_prefix(store: Store, text: str) -> str:
    """Return a key, or a text with keys, as without a prefix."""
    return text.replace(store.keys.prefix, "") if store.keys.prefix else text


def ids(store: Store, key: str) -> list[int]:
    """Return the articles of a ranking, best first."""
    return [int(member.partition(":")[2]) for member in run(store, "ZREVRANGE", key, 0, -1)]


def snapshot(store: Store, *, is_shared: bool = False) -> dict[str, Any]:
    """Return everything in the database but remembered answers: the type, content and expiry of each key.

    Of a database *is_shared* with other sites, these are the keys of the site; otherwise there must be no others.
    """
    client = store.connection.client
    every_key = sorted(client.keys("*"))
    keys = [key for key in every_key if store.keys.covers(key)]
    assert is_shared or keys == every_key
    keys = [key for key in keys if not key.startswith(store.keys.done(""))]
    with client.pipeline() as pipe:
        for key in keys:
            pipe.type(key)
        types = pipe.execute()
        for key, type in zip(keys, types, strict=True):
            # Bits are no text, which a reply would be decoded as.
            command, *arguments = READ_COMMANDS[type] if not _is_bits(store, key, type) else ("STRLEN",)
            pipe.execute_command(command, key, *arguments)
            pipe.pexpiretime(key)
        replies = pipe.execute()
    for at, (key, type) in enumerate(zip(keys, types, strict=True)):
        if _is_bits(store, key, type):
            replies[2 * at] = client.execute_command("GET", key, NEVER_DECODE=True)
    contents = zip(types, replies[::2], replies[1::2], strict=True)
    return {without_prefix(store, key): content for key, content in zip(keys, contents, strict=True)}


def _is_bits(store: Store, key: str, type: str) -> bool:
    return type == "string" and key.startswith(store.keys.hidden(""))


def broken(store: Store) -> list[tuple[str, str]]:
    """Return what the doctor finds: keys and what is wrong with them."""
    return [described(store, finding) for finding in store.doctor.examine()]


def described(store: Store, finding: Finding) -> tuple[str, str]:
    """Return the key of a finding, and what is wrong with it."""
    return without_prefix(store, finding.key), without_prefix(store, finding.what)


def broken_keys(store: Store) -> set[str]:
    """Return the keys that the doctor names."""
    return {key for key, _ in broken(store)}


@contextmanager
def server_setting(store: Store, name: str, value: object) -> Iterator[None]:
    """Change a setting of the server for a while."""
    client = store.connection.client
    before = client.config_get(name)[name]
    client.config_set(name, str(value))
    try:
        yield
    finally:
        client.config_set(name, before)
