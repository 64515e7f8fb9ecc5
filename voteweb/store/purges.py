"""Purges: every word of an article is taken out of the site for good, and with them those of its comments if asked."""

from collections.abc import Iterator
from contextlib import suppress

from voteweb.core.comment_errors import NoSuchComment
from voteweb.core.comments import CommentId
from voteweb.store.comments import Comments
from voteweb.store.connection.connection import Connection
from voteweb.store.moderation_log import NewLogEntry, unpack
from voteweb.store.nodes import comment_numbers
from voteweb.store.removals import Removals
from voteweb.store.scanner import Scanner


class Purges:
    """Purges articles of one site, for its operator."""

    def __init__(self, connection: Connection, removals: Removals, comments: Comments) -> None:
        self._connection = connection
        self._keys = connection.keys
        self._scanner = Scanner(connection)
        self._removals = removals
        self._comments = comments

    def steps(self, id: int, entry: NewLogEntry, *, with_comments: bool) -> Iterator[None]:
        """Delete the article with its earlier versions, delete its comments if asked, and blank its title in the log.

        The first step does all of the article and logs *entry*, the others go on in bounded steps; all may be done
        again, also to an article that was deleted before. Reasons in the log stay. Raises NoSuchArticle, Conflict.
        """
        self._removals.purge(id, entry)
        yield
        if with_comments:
            for number in comment_numbers(self._connection.command("HKEYS", self._keys.thread(id))):
                with suppress(NoSuchComment):  # the doctor tells what is none
                    self._comments.delete(CommentId(id, number))
                yield
        for place, text in self._scanner.items(self._keys.log_entries()):
            fields = unpack(text)
            if fields.get("article") == str(id) and fields.get("title"):
                self._connection.script("blank_log_title", [self._keys.log_entries()], [place, id])
                yield
