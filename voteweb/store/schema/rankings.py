"""Layout 3: rankings by votes, and the articles of each domain."""

from collections.abc import Iterator

from voteweb.core.config import Settings
from voteweb.store.connection.connection import Connection
from voteweb.store.rescoring import Rescoring
from voteweb.store.scanner import Scanner, batched


def convert(connection: Connection, settings: Settings, dry_run: bool) -> Iterator[int]:
    """Rank every article by votes and under its domain; yield after each step how many it looked at."""
    if dry_run:
        yield from map(len, batched(Scanner(connection).article_ids()))
        return
    for seen, _ in Rescoring(connection, settings).run():
        yield seen
