"""Layout 4: nobody gets mails again and again, such as the best articles of each week."""

from collections.abc import Iterator

from voteweb.core.config import Settings
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command
from voteweb.store.scan.scanner import Scanner, batched

#: The field of a member that had the mails of their choice.
EMAIL_FOR = "email-for"


def convert(connection: Connection, _settings: Settings, dry_run: bool) -> Iterator[int]:
    """Forget which of these mails members have chosen; yield after each step how many had."""
    keys, scanner = connection.keys, Scanner(connection)
    for batch in batched(scanner.keys(keys.user("?*"))):
        chosen = scanner.run_atomic([("HEXISTS", key, EMAIL_FOR) for key in batch])
        writes: list[Command] = [("HDEL", key, EMAIL_FOR) for key, exists in zip(batch, chosen, strict=True) if exists]
        if writes and not dry_run:
            connection.run(writes)
        yield len(writes)
    for entries in batched(scanner.run_atomic([("ZRANGE", keys.digests(), 0, -1)])[0]):
        if not dry_run:
            connection.command("HDEL", keys.mails(), *entries)
    if not dry_run:
        connection.command("UNLINK", keys.digests())
