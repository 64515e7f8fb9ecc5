"""The results of searches as they are now: articles and comments by id, without those that nobody can read."""

from collections.abc import Sequence
from typing import Any

from voteweb.core.comments import CommentId, ListedComment
from voteweb.core.models import Article
from voteweb.store import decoding
from voteweb.store.comment_lists import key_beginnings, listed_comment
from voteweb.store.connection import scripts
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.keys import article_member
from voteweb.store.votes import Votes


class SearchResults:
    """The articles and comments of one site, by id."""

    def __init__(self, connection: Connection, votes: Votes) -> None:
        self._keys = connection.keys
        self._votes = votes

    def queue_articles(self, pipeline: Pipeline, ids: Sequence[int]) -> Future[tuple[Article, ...]]:
        """Queue a read of the listed ones of the articles *ids* with their texts, in this order."""

        def parse(replies: list[Any]) -> tuple[Article, ...]:
            stored = [(article_member(id), *values) for id, values in zip(ids, replies, strict=True)]
            rows = tuple(row for row in decoding.rows(stored, with_text=True) if row)
            self._votes.expect_all(rows)
            return rows

        fields = (*decoding.FIELDS, *decoding.TEXT_FIELDS)
        return pipeline.queue([("HMGET", self._keys.article(id), *fields) for id in ids], parse)

    def queue_comments(self, pipeline: Pipeline, ids: Sequence[CommentId]) -> Future[tuple[ListedComment, ...]]:
        """Queue a read of those of the comments *ids* that anybody can read, in this order."""
        if not ids:
            return pipeline.queue([], lambda _: ())
        arguments = [*key_beginnings(self._keys), *map(str, ids)]
        return pipeline.queue(
            [scripts.call("read_comments", [self._keys.removing()], arguments)],
            lambda replies: tuple(comment for comment in map(listed_comment, replies[0]) if comment),
        )
