"""Convert the digests of imported rows, which layout 0 keeps in one set, into fingerprints in buckets."""

from collections.abc import Iterator

from voteweb.core.config import Settings
from voteweb.store.connection.connection import Connection
from voteweb.store.fingerprints import fingerprint
from voteweb.store.scanner import Scanner, batched

#: Digests converted in one step: a millisecond of Redis.
STEP_SIZE = 500


def convert(connection: Connection, _settings: Settings, dry_run: bool) -> Iterator[int]:
    """Move all digests, each step at one instant; yield after each how many."""
    keys, scanner = connection.keys, Scanner(connection)
    for digests in batched(scanner.members(keys.imported("")), STEP_SIZE):
        if not dry_run:
            prints = [fingerprint(digest) for digest in digests]
            commands = [("SADD", keys.imported(print.bucket), print.member) for print in prints]
            connection.run([*commands, ("SREM", keys.imported(""), *digests)], atomic=True)
        yield len(digests)
