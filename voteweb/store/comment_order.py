"""Put lists of comments into the order of their times, newest first, after an import of old ones."""

from collections.abc import Iterable

from voteweb.core import config
from voteweb.core.errors import Conflict
from voteweb.core.validation import new_submission_token
from voteweb.store.connection.connection import Connection
from voteweb.store.keys import parse_comment
from voteweb.store.nodes import comment_numbers, split_node
from voteweb.store.numbers import finite_number
from voteweb.store.scanner import batched

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
        times = _times(connection, [item for item in items if item not in more]) | more
        ordered = [item for item, _ in newest_first(times)][:size]
        if ordered == items:
            return
        made = connection.keys.ordering(new_submission_token())
        for batch in batched(ordered, READ_SIZE):  # one command with 10,000 of them would take 3 ms of Redis
            connection.run([("RPUSH", made, *batch), ("EXPIRE", made, config.DONE_SECONDS)])
        ends = (items[0], items[-1]) if items else ("", "")
        if connection.script("order_comments", [key, made], [len(items), *ends, len(ordered)]).status == "ordered":
            return
    raise Conflict()


def _times(connection: Connection, items: list[str]) -> dict[str, float]:
    """Return the times of comments; one that is not there counts as the oldest."""
    times: dict[str, float] = {}
    for batch in batched(items, READ_SIZE):
        ids = [parse_comment(item) for item in batch]
        reads = [("HGET", connection.keys.thread(id.article if id else 0), id.number if id else 0) for id in ids]
        times |= {item: _time(stored or "") for item, stored in zip(batch, connection.run(reads), strict=True)}
    return times


def _time(stored: str) -> float:
    return finite_number((split_node(stored) or {}).get("time")) or 0.0


def newest_first(times: dict[str, float]) -> list[tuple[str, float]]:
    """Return comments with their times; of one time, the one with the higher number is the newer."""
    return sorted(times.items(), key=lambda item: (item[1], parse_comment(item[0]) or (0, 0)), reverse=True)
