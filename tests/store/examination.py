"""Look at the database past the store; the prefix of the site is added to keys in commands and removed in replies."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any
from unittest.mock import patch

import pytest
import redis

from voteweb.store import Store
from voteweb.store.doctor import Doctor, Finding

#: Returns the type, expiry and content of each of KEYS, in hexadecimal of strings whose keys begin with ARGV[1]: one
#: command takes a fourth of the time of three for each key.
READ_KEYS = """
local commands = {
  string = {'GET'}, hash = {'HGETALL'}, set = {'SMEMBERS'}, zset = {'ZRANGE', 0, -1, 'WITHSCORES'},
  list = {'LRANGE', 0, -1}, stream = {'XRANGE', '-', '+'},
}
local replies = {}
for number, key in ipairs(KEYS) do
  local kind = redis.call('TYPE', key).ok
  local command = commands[kind]
  local content = redis.call(command[1], key, unpack(command, 2))
  if kind == 'string' and key:sub(1, #ARGV[1]) == ARGV[1] then
    content = content:gsub('.', function(byte) return string.format('%02x', byte:byte()) end)
  end
  replies[number] = {kind, redis.call('PEXPIRETIME', key), content}
end
return replies
"""


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


#: Clients of the stores of late: to make one takes longer than to run a command.
_prefixed = lru_cache(maxsize=8)(PrefixedClient)


def raw_client(store: Store) -> redis.Redis:
    """Return a client for programs that know the names of the keys, but not the site's prefix."""
    client = store.connection.client
    return _prefixed(client, store.keys.prefix) if store.keys.prefix else client


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
    bits = store.keys.hidden("")  # no text, which a reply would be decoded as
    replies = client.execute_command("EVAL", READ_KEYS, len(keys), *keys, bits) if keys else []
    return {
        without_prefix(store, key): (type, _content(type, reply, is_bits=key.startswith(bits)), expires)
        for key, (type, expires, reply) in zip(keys, replies, strict=True)
    }


@contextmanager
def unchanged(store: Store) -> Iterator[None]:
    """Check that the database is afterwards what it was before."""
    before = snapshot(store)
    yield
    assert snapshot(store) == before


@contextmanager
def refused(store: Store, error: type[Exception], match: str | None = None) -> Iterator[pytest.ExceptionInfo[Any]]:
    """Check that an act raises *error* and leaves the database as it was."""
    with unchanged(store), pytest.raises(error, match=match) as refusal:
        yield refusal


def _content(type: str, reply: Any, *, is_bits: bool) -> Any:
    """Return the content of a key of this *type* from the *reply* of READ_KEYS, as redis-py returns that of one key."""
    match type:
        case "string":
            return bytes.fromhex(reply) if is_bits else reply
        case "hash":
            return _by_name(reply)
        case "set":
            return set(reply)
        case "zset":
            return [[member, float(score)] for member, score in _by_name(reply).items()]
        case "stream":
            return [(id, _by_name(fields)) for id, fields in reply]
    return reply


def _by_name(names_and_values: list[str]) -> dict[str, str]:
    return dict(zip(names_and_values[::2], names_and_values[1::2], strict=True))


def broken(store: Store) -> list[tuple[str, str]]:
    """Return what the doctor finds: keys and what is wrong with them."""
    return [described(store, finding) for finding in Doctor(store.context).examine()]


def repair(store: Store) -> list[tuple[Finding, bool]]:
    """Repair the site; return each finding and whether it was repaired."""
    return list(Doctor(store.context).repair())


def described(store: Store, finding: Finding) -> tuple[str, str]:
    """Return the key of a finding, and what is wrong with it, where a second that passes makes no difference."""
    what = re.sub(r"in \d+ seconds", "in N seconds", without_prefix(store, finding.what))
    return without_prefix(store, finding.key), what


def broken_keys(store: Store) -> set[str]:
    """Return the keys that the doctor names."""
    return {key for key, _ in broken(store)}


@contextmanager
def recorded(store: Store) -> Iterator[list[list[Any]]]:
    """Record the commands of each round trip of a store."""
    trips: list[list[Any]] = []
    run_commands = store.connection.run

    def record(commands: Sequence[Any], **options: Any) -> list[Any]:
        trips.append(list(commands))
        return run_commands(commands, **options)

    with patch.object(store.connection, "run", record):
        yield trips


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
