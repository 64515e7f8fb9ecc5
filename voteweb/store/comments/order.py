"""Put lists of comments into the order of their times, newest first, after an import of old ones."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from voteweb.core import config
from voteweb.core.errors import Conflict
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command
from voteweb.store.scan.list_replacement import ends_of, replacement
from voteweb.store.scan.scanner import batched
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.nodes import comment_numbers, split_node
from voteweb.store.schema.values import finite_number, parse_comment

#: Comments whose times, or numbers, are read in one round trip.
READ_SIZE = 2_000


def order_members(connection: Connection, names: Iterable[str]) -> None:
    """Order the lists of the comments of these members."""
    for name in names:
        _order(connection, connection.keys.commented(name), {})


def order_newest(connection: Connection, articles: Iterable[int]) -> None:
    """Put the comments of these articles into the list of the site's newest, and order it."""
    newest: dict[str, float] = {}
    for id in articles:
        fields = connection.command("HGETALL", connection.keys.thread(id))
        newest |= {f"{id}.{number}": _time(fields[str(number)]) for number in comment_numbers(fields)}
        if len(newest) > 2 * config.NEWEST_COMMENTS:
            newest = dict(newest_first(newest)[: config.NEWEST_COMMENTS])
    _order(connection, connection.keys.comments(), newest, config.NEWEST_COMMENTS)


def _order(connection: Connection, key: str, more: dict[str, float], size: int | None = None) -> None:
    for _ in range(config.MAX_SCRIPT_ATTEMPTS):
        items = connection.command("LRANGE", key, 0, -1)
        times = times_of(connection.run, connection.keys, [item for item in items if item not in more]) | more
        ordered = [item for item, _ in newest_first(times)][:size]
        if ordered == items:
            return
        prepare, replace = replacement(connection.keys, key, ends_of(items), ordered)
        connection.run(prepare)
        if connection.run([replace]) == [["done"]]:
            return
    raise Conflict()


def times_of(run: Callable[[Sequence[Command]], list[Any]], keys: Keys, items: Sequence[str]) -> dict[str, float]:
    """Return the times of comments; one that is not there counts as the oldest."""
    times: dict[str, float] = {}
    for batch in batched(items, READ_SIZE):
        ids = [parse_comment(item) for item in batch]
        reads = [("HGET", keys.thread(id.article if id else 0), id.number if id else 0) for id in ids]
        times |= {item: _time(stored or "") for item, stored in zip(batch, run(reads), strict=True)}
    return times


def _time(stored: str) -> float:
    return finite_number((split_node(stored) or {}).get("time")) or 0.0


def newest_first(times: dict[str, float]) -> list[tuple[str, float]]:
    """Return comments with their times; of one time, the one with the higher number is the newer."""
    return sorted(times.items(), key=lambda item: (item[1], parse_comment(item[0]) or (0, 0)), reverse=True)
