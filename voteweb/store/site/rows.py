"""Rows of lists: a part of a sorted set or list, with what its members stand for, and the pages of such lists.

Each page takes one round trip, its rows and the length of the whole list included.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from voteweb.core import config
from voteweb.core.comments import ListedComment
from voteweb.core.models import Article, ArticleStatus, Page
from voteweb.store.connection import scripts
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.schema import decoding
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.nodes import parse_node
from voteweb.store.schema.values import articles_of, parse_comment

K = TypeVar("K")
T = TypeVar("T")

#: Returns the commands that read a number of rows of a list from a position, from 0: one for its length and one for the
#: rows, or a single one whose reply begins with the length.
ReadFrom = Callable[[int, int], Sequence[Command]]


def queue_page(
    pipeline: Pipeline,
    number: int,
    size: int,
    read_from: ReadFrom,
    parse: Callable[[Sequence[Any]], Iterable[T | None]] = tuple,
) -> Future[Page[T]]:
    """Queue a read of page *number* (from 1) of a list with *size* rows a page: what *parse* makes of them but None."""

    def finish(replies: list[Any]) -> Page[T]:
        total, rows = replies if len(replies) > 1 else (replies[0][0], replies[0][1:])
        return Page.at(number, size, (row for row in parse(rows) if row is not None), total)

    return pipeline.queue(read_from((number - 1) * size, size), finish)


def queue_by_id(pipeline: Pipeline, ids: Sequence[K], command: Command) -> Future[dict[K, Any]]:
    """Queue a *command* that replies a value for each of *ids*: the result lacks those that are missing, empty or 0."""
    return pipeline.queue(
        [command] if ids else [],
        lambda replies: {id: value for id, value in zip(ids, *replies, strict=False) if value} if ids else {},
    )


def members_of(key: str, *options: str, command: str = "ZREVRANGE") -> ReadFrom:
    """Return what reads members of a sorted set, the highest first."""
    return lambda first, size: [("ZCARD", key), (command, key, first, first + size - 1, *options)]


def rows_of(keys: Keys, key: str, fields: Sequence[str], newest: str = "") -> ReadFrom:
    """Return what reads rows of a sorted set as :func:`read_rows` does."""
    count: Command = ("ZCOUNT", key, "-inf", newest or "+inf")
    return lambda first, size: [count, read_rows(keys, key, first, size, fields, newest)]


def read_all(connection: Connection, queue: Callable[[Pipeline, int, int], Future[Page[T]]]) -> Iterator[T]:
    """Yield the rows of all pages of a list, in batches of READ_BATCH_SIZE; *queue* takes page number and size."""
    number, more = 1, True
    while more:
        page = connection.read(queue, number, config.READ_BATCH_SIZE)
        yield from page.rows
        number, more = number + 1, page.more


def read_rows(keys: Keys, ranking: str, first: int, count: int, fields: Sequence[str], newest: str = "") -> Command:
    """Return the command that reads *count* rows from position *first* (from 0), the highest first.

    Positions are counted among those whose score is at most *newest*, "" for all.
    The reply has a list for each row: the member, then the *fields* of its hash, None for a missing one.
    """
    return scripts.call(keys, "read_rows", ranking=ranking, first=first, count=count, fields=fields, newest=newest)


def articles_since(
    connection: Connection, ranking: str, first: str, size: int = config.READ_BATCH_SIZE
) -> Iterator[list[int]]:
    """Yield the ids of the articles in a ranking by time from *first* on, about *size* at a time.

    Those that are there from the beginning to the end are among them.
    """
    limit = ("BYSCORE", "LIMIT", 0, size, "WITHSCORES")
    while found := connection.command("ZRANGE", ranking, first, "+inf", *limit):
        last = repr(float(found[-1][1]))
        # Another program may have given more articles the same time than fit into a step.
        members = [member for member, _ in found] + connection.command("ZRANGE", ranking, last, last, "BYSCORE")
        yield articles_of(dict.fromkeys(members))
        first = f"({last}"


def queue_in_state(
    pipeline: Pipeline, keys: Keys, ranking: str, count: int, status: ArticleStatus
) -> Future[tuple[Article, ...]]:
    """Queue a read of the articles with this *status*, and their texts, among the highest *count* of a ranking."""
    return pipeline.queue_one(
        read_rows(keys, ranking, 0, count, decoding.WHOLE), lambda reply: tuple(_in_state(reply, status))
    )


def queue_oldest(
    pipeline: Pipeline, keys: Keys, ranking: str, number: int, *statuses: ArticleStatus
) -> Future[Page[Article]]:
    """Queue a read of page *number* (from 1) of those with one of *statuses* in a ranking, the lowest first."""

    def read_from(first: int, size: int) -> list[Command]:
        return [("ZCARD", ranking), read_rows(keys, ranking, -first - size, size, decoding.WHOLE)]

    return queue_page(pipeline, number, config.QUEUE_SIZE, read_from, lambda rows: _in_state(reversed(rows), *statuses))


def _in_state(rows: Iterable[Sequence[str | None]], *statuses: ArticleStatus) -> Iterator[Article]:
    return (row for row in decoding.rows_in_any_state(rows) if row and row.status in statuses)


def listed_comment(row: Sequence[str]) -> ListedComment | None:
    """Return the comment of a row that ``comment_row()`` in ``listed.lua`` made, None for one that cannot be read."""
    comment, stored, text, title, poster, answers = row
    id = parse_comment(comment)
    node = parse_node(id.number, stored) if id else None
    return ListedComment(id, node, text, title, poster, answers) if id and node else None
