"""Read articles and comments for search as they are now, in bounded steps, and the stream of their changes."""

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from voteweb.core import config
from voteweb.core.comments import CommentId, ListedComment
from voteweb.core.models import Article
from voteweb.core.ranking import vote_level
from voteweb.core.search_documents import Changes, Document
from voteweb.store.connection import scripts
from voteweb.store.connection.pipeline import Command
from voteweb.store.scan.scanner import batched
from voteweb.store.schema import decoding
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.values import articles_of, parse_comment
from voteweb.store.site.context import StorePart
from voteweb.store.site.rows import articles_since, listed_comment

#: The number of entries from which on the stream has lost its first ones: articles.lua has the same.
MAX_CHANGES = 100_000


def record_change(keys: Keys, kind: str, id: int | str) -> Command:
    """Return the write that notes a change of an article or comment; articles.lua has the kinds "a", "c", "t", "p"."""
    return ("XADD", keys.changes(), "MAXLEN", "~", MAX_CHANGES, "*", kind, id)


def new_epoch() -> str:
    """Return the mark of data that are other than before, and of which no index is."""
    return secrets.token_hex(8)


def begin_epoch(keys: Keys) -> list[Command]:
    """Return the commands after which every index of the site is made anew."""
    return [("SET", keys.search_epoch(), new_epoch()), ("UNLINK", keys.changes())]


#: Articles, or comments, that are read by commands which Redis answers as one block: under 1 ms.
BLOCK_SIZE = 100
#: Changes that are read at once.
BATCH_SIZE = 500
#: The position before the first change.
START = "0-0"
#: The share of the connection's deadline for which a read may wait for a change.
WAIT_SHARE = 0.5


class Search(StorePart):
    """The documents of one site, and the stream of their changes."""

    def end_of_changes(self) -> str:
        """Return the position after the last change."""
        newest = self._connection.command("XREVRANGE", self._keys.changes(), "+", "-", "COUNT", 1)
        return str(newest[0][0]) if newest else START

    def changes_since(self, position: str, *, wait: float) -> Changes:
        """Return what has changed since *position*, BATCH_SIZE changes at most.

        If nothing has, wait for a change, at most *wait* seconds and half the deadline of the connection. The changes
        are incomplete if the stream does not have the entry at *position*: it was cut since, or a server has taken
        over that had not heard of it.
        """
        key, milliseconds = self._keys.changes(), int(1000 * min(wait, WAIT_SHARE * self._connection.deadline))
        block = ("BLOCK", milliseconds) if milliseconds else ()
        streams = self._connection.command("XREAD", "COUNT", BATCH_SIZE, *block, "STREAMS", key, position)
        # After the entries, so that what was cut in the meantime is noticed.
        at_position, length, epoch = self._connection.run(
            [("XRANGE", key, position, position), ("XLEN", key), ("GET", self._keys.search_epoch())]
        )
        is_complete = bool(at_position) or (position == START and length < MAX_CHANGES)
        # redis-py puts the entries of a stream into a list of their own.
        (entries,) = next(iter(streams.values())) if streams else ([],)
        return _parse(position, entries, epoch or self._make_epoch(), is_complete)

    def _make_epoch(self) -> str:
        key = self._keys.search_epoch()
        _, epoch = self._connection.run([("SET", key, new_epoch(), "NX"), ("GET", key)])
        return str(epoch)

    def listed_count(self) -> int:
        return int(self._connection.command("ZCARD", self._keys.by_time()))

    def newest_ids(self, count: int) -> list[int]:
        members = self._connection.command("ZRANGE", self._keys.by_time(), 0, count - 1, "REV")
        return articles_of(members)

    def listed_ids(self, size: int) -> Iterator[tuple[list[int], float]]:
        """Yield the ids of all listed articles, oldest first, about *size* at once, and the share that these complete.

        Those that are listed from the beginning to the end are among them.
        """
        count = 0
        for ids in articles_since(self._connection, self._keys.by_time(), "-inf", size):
            count += len(ids)
            yield ids, count / max(self.listed_count(), 1)

    def articles(self, ids: Iterable[int]) -> list[Document]:
        """Return those of these articles that are listed."""
        return [_article(article) for article in self._read_articles(ids).values()]

    def last_comments(self, ids: Iterable[int]) -> dict[int, int]:
        """Return the highest number of a comment, MAX_COMMENTS at most, for those articles that have a conversation."""
        wanted = list(ids)
        replies = self._run([("HGET", self._keys.thread(id), "last") for id in wanted])
        highest = config.MAX_COMMENTS
        return {
            id: min(int(last), highest) for id, last in zip(wanted, replies, strict=True) if last and last.isdecimal()
        }

    def comments(self, ids: Iterable[CommentId]) -> list[Document]:
        """Return those of these comments that everybody can read."""
        wanted = list(dict.fromkeys(ids))
        articles = self._read_articles({id.article for id in wanted})
        found = [id for id in wanted if id.article in articles]
        calls = (
            scripts.call(self._keys, "read_comments", comments=list(map(str, block)))
            for block in batched(found, BLOCK_SIZE)
        )
        rows = (listed_comment(row) for call in calls for row in self._connection.command(*call))
        return [_comment(articles[row.id.article], row) for row in rows if row]

    def _read_articles(self, ids: Iterable[int]) -> dict[int, Article]:
        wanted = list(ids)
        replies = self._run([("HMGET", self._keys.article(id), *decoding.WHOLE) for id in wanted])
        return {row.id: row for row in map(decoding.article, wanted, replies) if row and row.is_listed}

    def _run(self, commands: Sequence[Command]) -> list[Any]:
        return [reply for block in batched(commands, BLOCK_SIZE) for reply in self._connection.run(block)]


def _parse(position: str, entries: list[tuple[str, Mapping[str, str]]], epoch: str, is_complete: bool) -> Changes:
    fields = [field for _, entry in entries for field in entry.items()]
    articles = {int(id) for kind, id in fields if kind == "a" and id.isdecimal()}
    conversations = {int(id) for kind, id in fields if kind in ("t", "p") and id.isdecimal()}
    comments = {parse_comment(id) for kind, id in fields if kind in ("c", "p")}
    comments = {comment for comment in comments if comment and comment.number <= config.MAX_COMMENTS}
    return Changes(
        entries[-1][0] if entries else position,
        epoch,
        articles=frozenset(articles | conversations),
        comments=frozenset(comment for comment in comments if comment and comment.article not in conversations),
        conversations=frozenset(conversations),
        is_complete=is_complete,
        may_be_more=len(entries) == BATCH_SIZE,
        is_purge=any(kind == "p" for kind, _ in fields),
    )


def _article(article: Article) -> Document:
    poster = _named(article.poster)
    level = vote_level(article.votes)
    return Document(article.id, article.time, article.title, article.text, article.link, poster, article.groups, level)


def _comment(article: Article, comment: ListedComment) -> Document:
    node = comment.node
    level = vote_level(node.votes)
    return Document(comment.id, node.time, "", comment.text, "", _named(node.author), article.groups, level)


def _named(name: str) -> str:
    """Return a member's name, "" for one who has left: a member might be called "deleted"."""
    return "" if name == config.DELETED_MEMBER else name
