"""Lists of comments outside their conversations: the site's newest, those of a member, and single ones."""

from collections.abc import Iterator, Sequence
from typing import Any

from voteweb.core import config
from voteweb.core.comments import ListedComment
from voteweb.core.models import Page
from voteweb.store.connection import scripts
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.keys import Keys, parse_comment
from voteweb.store.nodes import parse_node


class CommentLists:
    """The lists of one site's comments."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._keys = connection.keys

    def queue_newest(self, pipeline: Pipeline, number: int) -> Future[Page[ListedComment]]:
        """Queue a read of page *number* (from 1) of the site's newest comments, NEWEST_COMMENTS at most.

        A page has fewer rows than its size where comments have been deleted or removed since.
        """
        return self._queue_page(pipeline, self._keys.comments(), number, config.COMMENT_PAGE_SIZE)

    def queue_member(self, pipeline: Pipeline, name: str, number: int) -> Future[Page[ListedComment]]:
        """Queue a read of page *number* (from 1) of a member's comments, newest first, without those not visible."""
        return self._queue_page(pipeline, self._keys.commented(name), number, config.COMMENT_PAGE_SIZE)

    def of_member(self, name: str) -> Iterator[ListedComment]:
        """Yield all comments of a member, newest first, removed ones too, read in batches of READ_BATCH_SIZE."""
        number, is_complete = 1, False
        while not is_complete:
            pipeline = self._connection.pipeline()
            page = self._queue_page(pipeline, self._keys.commented(name), number, config.READ_BATCH_SIZE, "all")
            pipeline.execute()
            yield from page.result.rows
            number, is_complete = number + 1, not page.result.more

    def _queue_page(
        self, pipeline: Pipeline, key: str, number: int, size: int, wanted: str = "visible"
    ) -> Future[Page[ListedComment]]:
        start = (number - 1) * size

        def parse(replies: Sequence[Any]) -> Page[ListedComment]:
            total, *rows = replies[0]
            return Page(_rows(rows), number, total, first_rank=start + 1, more=total > start + size)

        arguments: list[str | int] = [*key_beginnings(self._keys), start, size, wanted]
        command: Command = scripts.call("list_comments", [self._keys.removing(), key], arguments)
        return pipeline.queue([command], parse)


def key_beginnings(keys: Keys) -> list[str]:
    """Return the first arguments of a script with the helpers of ``listed.lua``."""
    return [keys.article(""), keys.thread(""), keys.words(""), keys.hidden("")]


def listed_comment(row: Sequence[str]) -> ListedComment | None:
    """Return the comment of a row that ``comment_row()`` in ``listed.lua`` made, None for one that cannot be read."""
    comment, stored, text, title, poster, answers = row
    id = parse_comment(comment)
    node = parse_node(id.number, stored) if id else None
    return ListedComment(id, node, text, title, poster, answers) if id and node else None


def _rows(rows: Sequence[Sequence[str]]) -> tuple[ListedComment, ...]:
    return tuple(comment for comment in map(listed_comment, rows) if comment)
