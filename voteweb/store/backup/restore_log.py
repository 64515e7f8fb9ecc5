"""Put the log together from its acts, which a restore writes in any order, each as a hash."""

from voteweb.core.errors import ConfigError
from voteweb.store.connection import scripts
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command
from voteweb.store.moderation_log import has_too_many_gaps, log_indexes, pack
from voteweb.store.scanner import Scanner, batched

#: Places of ids that no act has, added in one step: a millisecond.
PAD_COUNT = 10_000


def make_log(connection: Connection) -> None:
    """Move all acts that are hashes of their own into the log, in the order of their ids.

    Raises ConfigError, before anything is written, when too many ids are missing among them.
    """
    keys, scanner = connection.keys, Scanner(connection)
    names = (keys.split(key)[1] for key in scanner.keys(keys.log_entry("[0-9]*")))
    ids = sorted({int(name) for name in names if name.isascii() and name.isdecimal() and str(int(name)) == name})
    count = len(ids) + int(connection.command("LLEN", keys.log_entries()))  # those that an earlier run has moved
    if has_too_many_gaps(count, max(ids, default=0)):
        raise ConfigError(
            "The log has %(count)s acts up to the id %(last)s: delete those with wrong ids.", count=count, last=ids[-1]
        )
    for batch in batched(ids):
        _move(connection, batch)


def _move(connection: Connection, ids: list[int]) -> None:
    """Move these acts, in ascending order, behind those that the log has."""
    keys = connection.keys
    *stored, last = connection.run([*(("HGETALL", keys.log_entry(id)) for id in ids), ("LLEN", keys.log_entries())])
    calls: list[Command] = []
    for id, fields in zip(ids, stored, strict=True):
        if not fields or id <= last:
            continue  # moved before
        if id > last + 1:
            _run(connection, calls)
            calls = []
            _pad(connection, last, id - 1)
        indexes = log_indexes(keys, *(fields.get(name, "") for name in ("kind", "who", "about")))
        is_complete = fields.get("kind") and fields.get("who")
        log_keys = [keys.log_entry(id), keys.log_entries(), *(indexes if is_complete else indexes[:1])]
        calls.append(scripts.call("convert_log_entry", log_keys, [id, pack(fields)]))
        last = id
    _run(connection, calls)


def _run(connection: Connection, calls: list[Command]) -> None:
    if calls:
        connection.run(calls)


def _pad(connection: Connection, last: int, wanted: int) -> None:
    """Fill the places after the id *last* up to *wanted*."""
    while last < wanted:
        last = int(connection.script("convert_log_gap", [connection.keys.log_entries()], [wanted, PAD_COUNT]).status)
