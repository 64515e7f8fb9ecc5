"""Purges: every word of an article is taken out of the site for good, and with them those of its comments if asked."""

from collections.abc import Iterator
from contextlib import suppress

from voteweb.core.comment_errors import NoSuchComment
from voteweb.core.comments import CommentId
from voteweb.store.comments.comments import Comments
from voteweb.store.connection.commit import Attempt, commit
from voteweb.store.connection.pipeline import Command
from voteweb.store.moderation.removals import Removals
from voteweb.store.scan.scanner import Scanner
from voteweb.store.schema.log_entries import NewLogEntry, pack, unpack
from voteweb.store.schema.nodes import comment_numbers
from voteweb.store.site.context import Context, StorePart


class Purges(StorePart):
    """Purges articles of one site, for its operator."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._removals = Removals(context)
        self._comments = Comments(context)

    def steps(self, id: int, entry: NewLogEntry, *, with_comments: bool) -> Iterator[None]:
        """Delete the comments if asked, blank the article's title in the log, delete the article and log *entry*.

        In bounded steps, which may be cut off anywhere and done again, also to an article that was deleted before:
        until no word is left, the article stays as it is, and nothing is logged. Reasons in the log stay. Raises
        NoSuchArticle, Conflict.
        """
        comments: set[int] = set()
        yield from self._steps_beside_article(id, comments, with_comments)
        self._removals.purge(id, entry)
        yield
        # What was written meanwhile; about a deleted article nothing can be written.
        yield from self._steps_beside_article(id, comments, with_comments)

    def _steps_beside_article(self, id: int, done: set[int], with_comments: bool) -> Iterator[None]:
        """Delete all comments that are not in *done*, and add them to it; blank the title in the log."""
        if with_comments:
            stored = comment_numbers(self._connection.command("HKEYS", self._keys.thread(id)))
            for number in stored:
                if number not in done:
                    with suppress(NoSuchComment):  # the doctor tells what is none
                        self._comments.delete(CommentId(id, number))
                    yield
            done.update(stored)
        for place, text in Scanner(self._connection).items(self._keys.log_entries()):
            if _is_titled(text, id):
                self._blank_title(place, id)
                yield

    def _blank_title(self, place: int, id: int) -> None:
        key = self._keys.log_entries()

        def decide(attempt: Attempt) -> list[Command]:
            (text,) = attempt.read(("LINDEX", key, place - 1))
            return [("LSET", key, place - 1, pack(unpack(text) | {"title": ""}))] if _is_titled(text, id) else []

        commit(self._connection, decide)


def _is_titled(text: str, article: int) -> bool:
    """Tell whether a log entry, as stored, holds the title of this article."""
    fields = unpack(text)
    return fields.get("article") == str(article) and "title" in fields
