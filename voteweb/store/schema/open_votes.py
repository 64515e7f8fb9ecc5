"""Layout 1: each member has a list of the votes that can still be taken back."""

from collections.abc import Iterator

from voteweb.core.config import Settings
from voteweb.store.connection.connection import Connection
from voteweb.store.open_votes import rebuild


def convert(connection: Connection, settings: Settings, dry_run: bool) -> Iterator[int]:
    """List the open votes of each member; yield after each step how many it listed."""
    return rebuild(connection, settings, dry_run)
