"""Give titles to the groups that an import made: layout 0 has none for them, so that a lost one cannot be told."""

from collections.abc import Iterator

from voteweb.core.config import Settings
from voteweb.store.connection.connection import Connection
from voteweb.store.scanner import Scanner, batched


def convert(connection: Connection, _settings: Settings, dry_run: bool) -> Iterator[int]:
    """Use the names of these groups as titles, as pages do; yield how many after each step."""
    scanner, keys = Scanner(connection), connection.keys
    for names in batched(scanner.groups()):
        exist = scanner.run_atomic([("HEXISTS", keys.group_info(name), "title") for name in names])
        untitled = [name for name, exists in zip(names, exist, strict=True) if not exists]
        if untitled and not dry_run:
            connection.run([("HSETNX", keys.group_info(name), "title", name) for name in untitled])
        yield len(untitled)
