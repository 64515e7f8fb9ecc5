"""Copy every key of a site as it is, whatever its layout: the backup that precedes a conversion."""

from collections.abc import Iterator
from itertools import chain

from voteweb.core.errors import ConfigError
from voteweb.store.backup.key_lines import BITS, LINE_ITEMS, KeyLine, is_known
from voteweb.store.connection.connection import Connection
from voteweb.store.scan.scanner import Scanner, batched

#: Members or fields that are read at once.
ITEMS_PER_READ = 1_000
#: The nouns of keys that are about the index of the searched words, which is made anew, and the number of the layout.
_NOT_COPIED = ("changes", "search", "schema")
_SCANS = {"hash": "HSCAN", "set": "SSCAN", "zset": "ZSCAN"}


def read_keys(connection: Connection) -> Iterator[KeyLine]:
    """Yield the content of every key in bounded steps; a big key takes several lines, which may repeat members.

    The site must not be in use. Raises ConfigError for a key of a type that voteweb does not write.
    """
    scanner = Scanner(connection)
    for keys in batched(scanner.all_keys()):
        looks = scanner.run_atomic([command for key in keys for command in (("TYPE", key), ("PEXPIRETIME", key))])
        for key, kind, expiry in zip(keys, looks[::2], looks[1::2], strict=True):
            name, until = key.removeprefix(connection.keys.prefix), expiry if expiry > 0 else None
            noun = connection.keys.split(key)[0]
            if noun in _NOT_COPIED or not is_known(name, is_whole=True):  # another program's
                continue
            if kind == "string":
                yield _string(connection, key, name, until, is_text=noun != "hidden")
            elif kind in _SCANS:
                for batch in scanner.batches(_SCANS[kind], key, 0, "COUNT", ITEMS_PER_READ):
                    value = list(batch) if kind == "set" else dict(batch)
                    if value:
                        yield from KeyLine(name, kind, value, until).parts()
            elif kind == "list":
                first = 0
                while items := connection.command("LRANGE", key, first, first + ITEMS_PER_READ - 1):
                    yield from KeyLine(name, kind, items, until, first).parts()
                    first += len(items)
            elif kind != "none":
                raise ConfigError("The key %(key)s is a %(kind)s: voteweb keeps none.", key=key, kind=kind)


def _string(connection: Connection, key: str, name: str, until: int | None, *, is_text: bool) -> KeyLine:
    if is_text:
        return KeyLine(name, "string", connection.command("GET", key), until)
    size = connection.command("STRLEN", key)
    commands = [  # a reply could not hold what is no text
        ("BITFIELD_RO", key, *(word for at in part for word in ("GET", "u8", f"#{at}")))
        for part in batched(range(size), LINE_ITEMS)
    ]
    bits = bytes(chain.from_iterable(connection.run(commands))).hex() if commands else ""
    return KeyLine(name, BITS, bits, until)
