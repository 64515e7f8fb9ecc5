"""All keys of a site: copies to begin with, and contents to compare."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

#: Keys that are asked for in one round trip.
BATCH = 5_000
_READS: dict[bytes, tuple[Any, ...]] = {
    b"string": ("GET",), b"hash": ("HGETALL",), b"set": ("SMEMBERS",), b"list": ("LRANGE", 0, -1),
    b"zset": ("ZRANGE", 0, -1, "WITHSCORES"), b"stream": ("XRANGE", "-", "+"),
}  # fmt: skip


class StoredKey(NamedTuple):
    """A key as the server serializes it, and the unix time in milliseconds at which it expires, -1 for never."""

    name: bytes
    content: bytes
    expires: int


class Content(NamedTuple):
    """The type of a key, its value in a form that can be compared and read, and when it expires."""

    type: str
    value: list[str]
    expires: int


Contents = dict[str, Content]


def read_dumps(client: Any) -> list[StoredKey]:
    names = sorted(client.keys("*"))
    replies = list(_ask(client, [command for name in names for command in (("DUMP", name), ("PEXPIRETIME", name))]))
    return [StoredKey(*key) for key in zip(names, replies[::2], replies[1::2], strict=True)]


def write_dumps(client: Any, dumps: list[StoredKey]) -> None:
    """Replace all keys by copies."""
    client.flushall()
    list(_ask(client, [("RESTORE", key.name, max(key.expires, 0), key.content, "ABSTTL") for key in dumps]))


def read_contents(client: Any) -> Contents:
    """Return every key that has not expired; sets, hashes and rankings have the order of their members."""
    names = sorted(client.keys("*"))
    types = list(_ask(client, [("TYPE", name) for name in names]))
    reads = [(_READS[type][0], name, *_READS[type][1:]) for name, type in zip(names, types, strict=True)]
    values = _ask(client, reads)
    expiries = _ask(client, [("PEXPIRETIME", name) for name in names])
    return {
        _text(name): Content(_text(type), _lines(type, value), expires)
        for name, type, value, expires in zip(names, types, values, expiries, strict=True)
    }


def _ask(client: Any, commands: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
    """Yield the reply to each of *commands*."""
    for begin in range(0, len(commands), BATCH):
        with client.pipeline(transaction=False) as pipeline:
            for command in commands[begin : begin + BATCH]:
                pipeline.execute_command(*command, NEVER_DECODE=True)
            yield from pipeline.execute()


def _lines(type: bytes, value: Any) -> list[str]:
    """Return a value as lines of text, in an order that does not depend on how the server stores it."""
    if type == b"string":
        return [_text(value)]
    if type == b"set":
        return sorted(map(_text, value))
    if type == b"hash":
        return sorted(f"{_text(name)} = {_text(field)}" for name, field in value.items())
    if type == b"zset":
        return [f"{score!r} {_text(member)}" for member, score in value]
    return [_text(item) if isinstance(item, bytes) else repr(item) for item in value]


def _text(value: bytes) -> str:
    return value.decode("utf-8", "backslashreplace")
