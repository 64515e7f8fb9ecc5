"""Copy every key of a site as it is, whatever its layout: the backup that precedes a conversion."""

from collections.abc import Iterator
from itertools import chain

from voteweb.core.errors import ConfigError
from voteweb.store.backup.records import Key
from voteweb.store.connection.connection import Connection
from voteweb.store.key_types import TYPES
from voteweb.store.scanner import Scanner, batched

#: Members or fields in one record.
ITEMS_PER_RECORD = 1_000
#: The nouns of keys that are about the index of the searched words: it is made anew from what is restored.
_NOT_COPIED = ("changes", "search")
_SCANS = {"hash": "HSCAN", "set": "SSCAN", "zset": "ZSCAN"}


def read_keys(connection: Connection) -> Iterator[Key]:
    """Yield the content of every key in bounded steps; a big key takes several records, which may repeat members.

    The site must not be in use. Raises ConfigError for a key of a type that voteweb does not write.
    """
    scanner = Scanner(connection)
    for keys in batched(scanner.all_keys()):
        looks = scanner.run_atomic([command for key in keys for command in (("TYPE", key), ("PEXPIRETIME", key))])
        for key, kind, expiry in zip(keys, looks[::2], looks[1::2], strict=True):
            noun, _ = connection.keys.split(key)
            if noun in _NOT_COPIED or noun not in TYPES:  # another program's
                continue
            name, until = key.removeprefix(connection.keys.prefix), expiry if expiry > 0 else None
            if kind == "string" and connection.keys.split(key)[0] == "hidden":
                yield Key(name, "bits", [_bytes_in_hex(connection, key)], until)
            elif kind == "string":
                yield Key(name, kind, [connection.command("GET", key)], until)
            elif kind in _SCANS:
                for items in batched(_items(scanner, key, _SCANS[kind]), ITEMS_PER_RECORD):
                    yield Key(name, kind, [text for item in items for text in item], until)
            elif kind == "list":
                yield from _list_parts(connection, key, name, until)
            elif kind != "none":
                raise ConfigError("The key %(key)s is a %(kind)s: voteweb keeps none.", key=key, kind=kind)


def _bytes_in_hex(connection: Connection, key: str) -> str:
    """Return the bytes of a string that is no text, which a reply could not hold."""
    size = connection.command("STRLEN", key)
    commands = [
        ("BITFIELD_RO", key, *(word for at in part for word in ("GET", "u8", f"#{at}")))
        for part in batched(range(size), ITEMS_PER_RECORD)
    ]
    return bytes(chain.from_iterable(connection.run(commands))).hex() if commands else ""


def _list_parts(connection: Connection, key: str, name: str, until: int | None) -> Iterator[Key]:
    first = 0
    while items := connection.command("LRANGE", key, first, first + ITEMS_PER_RECORD - 1):
        yield Key(name, "list", items, until, first)
        first += len(items)


def _items(scanner: Scanner, key: str, scan: str) -> Iterator[tuple[str, ...]]:
    """Yield the members of *key*, each with its score or the value of the field, if any."""
    for batch in scanner.batches(scan, key, 0, "COUNT", ITEMS_PER_RECORD):
        match scan:
            case "HSCAN":
                yield from batch.items()
            case "ZSCAN":
                yield from ((member, repr(score)) for member, score in batch)
            case _:
                yield from ((member,) for member in batch)
