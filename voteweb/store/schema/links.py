"""Layout 3: a link remembers the publish times of its articles in whole seconds."""

from collections.abc import Iterator

from voteweb.core.config import Settings
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command
from voteweb.store.scanner import Scanner, batched


def convert(connection: Connection, _settings: Settings, dry_run: bool) -> Iterator[int]:
    """Round down the publish times under each link; yield after each step how many it rounded."""
    scanner = Scanner(connection)
    for keys in batched(scanner.keys(connection.keys.link("*"))):
        stored = scanner.run_atomic([("ZRANGE", key, 0, -1, "WITHSCORES") for key in keys])
        writes: list[Command] = [
            ("ZADD", key, "XX", time // 1, member)
            for key, articles in zip(keys, stored, strict=True)
            for member, time in articles
            if time % 1
        ]
        if writes and not dry_run:
            connection.run(writes)
        yield len(writes)
