"""Layout 0 kept the words of every report a member ever made; layout 1 keeps which articles the member reported."""

from collections.abc import Iterator

from voteweb.core.config import Settings
from voteweb.store.connection import scripts
from voteweb.store.connection.connection import Connection
from voteweb.store.keys import article_id, is_article
from voteweb.store.scanner import Scanner, batched


def convert(connection: Connection, _settings: Settings, dry_run: bool) -> Iterator[int]:
    """Turn what each member reported into a set of the ids of articles, each member at one instant."""
    keys, scanner = connection.keys, Scanner(connection)
    for batch in batched(scanner.keys(keys.reported("*"))):
        types = scanner.run_atomic([("TYPE", key) for key in batch])
        old = [key for key, kind in zip(batch, types, strict=True) if kind == "hash"]
        fields = scanner.run_atomic([("HKEYS", key) for key in old])
        if old and not dry_run:
            calls = [
                scripts.call(
                    "convert_reported", [key], [article_id(member) for member in members if is_article(member)]
                )
                for key, members in zip(old, fields, strict=True)
            ]
            connection.run(calls)
        yield sum(map(len, fields))
