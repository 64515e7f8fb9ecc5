"""Moderation of conversations: comments removed and restored, alone or with their replies; conversations closed."""

from collections.abc import Iterator
from contextlib import suppress

import redis

from voteweb.core.comment_errors import CommentGone, ConversationEnded, NoSuchComment
from voteweb.core.comments import CommentId, CommentStatus, Node
from voteweb.core.models import LogEntry, RemovalState, User
from voteweb.store.comments.readable import read_above, read_time
from voteweb.store.comments.writes import CommentWrites, reason_field, removed_by_field
from voteweb.store.connection.commit import Attempt, commit
from voteweb.store.connection.pipeline import Command
from voteweb.store.moderation import covered_reports
from voteweb.store.schema.decoding import unix_time
from voteweb.store.schema.keys import comment_member
from voteweb.store.schema.log_entries import NewLogEntry
from voteweb.store.schema.nodes import next_revision
from voteweb.store.site.context import Context, StorePart
from voteweb.store.site.site_settings import settings_of
from voteweb.store.site.told import count_settled, is_ban_in_state, read_open_reports, who_is_told


class CommentRemovals(StorePart):
    """Takes comments of one site out of their conversations, and puts them back; closes and reopens conversations."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._log = context.log

    def remove(self, id: CommentId, entry: NewLogEntry, *, with_replies: bool = False, actor: User | None) -> None:
        """Remove a comment, with all that is below it or alone, with the reason of *entry*; it can be restored.

        Settles its reports and those below it, and tells its author and the reporters. Does nothing if it was removed
        before. *actor* is the moderator who does it, None the operator. Raises NoSuchComment, CommentGone when its
        author deleted it, LoggedOut, NotAllowed, Conflict.
        """

        def decide(attempt: Attempt) -> list[Command]:
            node, writes = self._removal(attempt, id, entry.why, with_replies=with_replies)
            return [*writes, *self._settle(attempt, id, entry.who, node.author)] if writes else []

        commit(self._connection, decide, actor=actor, entry=entry, when_full=True)
        if with_replies:
            self.finish(id.article)

    def remove_by_ban(self, id: CommentId, ban: LogEntry) -> bool:
        """Remove a comment with the reason of the log entry *ban*, in whose name it is restored; tell whether it was.

        Settles its reports; tells the reporters of the ban. Not logged. Raises Conflict.
        """

        def decide(attempt: Attempt) -> list[Command]:
            node, writes = self._removal(attempt, id, ban.why)
            if not writes or not is_ban_in_state(attempt, self._keys, node.author, ban, RemovalState.REMOVING):
                return []
            attempt.told_of = f"log-{ban.id}"
            by_ban: Command = ("HSET", self._keys.thread(id.article), removed_by_field(id.number), ban.id)
            # Whom a ban removes cannot read it.
            return [*writes, by_ban, *self._settle(attempt, id, ban.who)]

        with suppress(NoSuchComment, CommentGone):
            return commit(self._connection, decide, when_full=True)
        return False

    def _removal(
        self, attempt: Attempt, id: CommentId, reason: str, *, with_replies: bool = False
    ) -> tuple[Node, list[Command]]:
        """Return a comment, and the writes that remove it: none if it was removed before."""
        comment = self._find(attempt, id)
        node, stored = comment.read()
        if node.status is CommentStatus.DELETED:
            raise CommentGone()
        if node.status is CommentStatus.REMOVED:
            return node, []
        return node, [
            *comment.set_state(stored, put="R" if with_replies else "r", with_replies=with_replies),
            ("HSET", comment.thread_key, reason_field(id.number), reason),
            *comment.set_hidden(True),
        ]

    def _settle(self, attempt: Attempt, id: CommentId, by: str, author: str = "") -> list[Command]:
        """Return the writes that close the open reports of a comment, of which *by* has decided.

        Tells the reporters and the author.
        """
        reports = self._keys.comment_report(*id)
        reporters = read_open_reports(attempt, reports)
        attempt.told = who_is_told(by, author, reporters.names)
        return [
            ("UNLINK", reports),
            ("ZREM", self._keys.reports(), comment_member(*id)),
            *count_settled(self._keys, reporters),
        ]

    def restore(self, id: CommentId, entry: NewLogEntry, *, actor: User | None) -> None:
        """Bring a removed comment back, with its votes and at its place; one that was not removed stays as it is.

        What was removed together with it comes back too. Below a comment that is still removed with its replies,
        nobody can read it yet. Tells its author. *actor* is the moderator who does it, None the operator. Raises
        NoSuchComment, CommentGone when it was deleted, NothingToUndo when *entry* undoes a removal that is not in
        force, LoggedOut, NotAllowed, Conflict.
        """

        def decide(attempt: Attempt) -> list[Command]:
            node, writes = self._restoration(attempt, id)
            attempt.told = who_is_told(entry.who, node.author)
            return writes

        commit(self._connection, decide, actor=actor, entry=entry, when_full=True)
        self.finish(id.article)

    def restore_by_ban(self, id: CommentId, ban: LogEntry) -> bool:
        """Bring back a comment that the ban of the log entry *ban* removed; tell whether it did. Raises Conflict."""

        def decide(attempt: Attempt) -> list[Command]:
            (removed_by,) = attempt.read(("HGET", self._keys.thread(id.article), removed_by_field(id.number)))
            if removed_by != str(ban.id):
                return []
            node, writes = self._restoration(attempt, id)
            return writes if is_ban_in_state(attempt, self._keys, node.author, ban, RemovalState.RESTORING) else []

        with suppress(NoSuchComment, CommentGone):
            return commit(self._connection, decide, when_full=True)
        return False

    def _restoration(self, attempt: Attempt, id: CommentId) -> tuple[Node, list[Command]]:
        """Return a comment, and the writes that bring it back: none if it is not removed.

        One whose author has left the site since it was removed with its replies stays deleted: only what is below comes
        back.
        """
        comment = self._find(attempt, id)
        node, stored = comment.read()
        is_deleted = node.status is CommentStatus.DELETED
        if is_deleted and not node.removes_replies:
            raise CommentGone()
        if not node.status:
            return node, []
        is_covered = any(above.removes_replies for above in read_above(attempt, self._keys, id.article, node))
        return node, [
            *comment.set_state(stored, take="rR", with_replies=node.removes_replies),
            ("HDEL", comment.thread_key, reason_field(id.number), removed_by_field(id.number)),
            *comment.set_hidden(is_covered or is_deleted),
        ]

    def _find(self, attempt: Attempt, id: CommentId) -> CommentWrites:
        """Return the comment for changes; raise NoSuchComment if its article is gone for good."""
        (title,) = attempt.read(("HEXISTS", self._keys.article(id.article), "title"))
        if not title:
            raise NoSuchComment()
        return CommentWrites(attempt, self._keys, id)

    def finish(self, article_id: int) -> None:
        """Count what became invisible or visible again below the comments of one article that were removed.

        May be interrupted anywhere and called again: :meth:`steps` goes on.
        """
        for _ in self._steps(article_id):
            pass

    def steps(self) -> Iterator[None]:
        """Do so for every article with such comments, in bounded steps.

        One that fails, as on damaged data, does not stop the others; the last failure is raised after them.
        """
        failure: redis.ResponseError | None = None
        for id in sorted(filter(str.isdigit, self._connection.command("SMEMBERS", self._keys.removing()))):
            try:
                yield from self._steps(id)
            except redis.ResponseError as error:
                failure = error
        if failure:
            raise failure

    def _steps(self, article_id: int | str) -> Iterator[None]:
        covered_reports.settle(self._connection, self._log, int(article_id))
        while self._connection.script("hide_replies", article=article_id).status == "more":
            yield

    def close(self, article_id: int, entry: NewLogEntry, *, actor: User | None) -> None:
        """Stop comments and votes on them in a conversation, with the reason of *entry*; it can be reopened.

        Does nothing if it is closed. Raises NoSuchArticle, ArticleGone, ConversationEnded when its time was over,
        LoggedOut, NotAllowed.
        """
        self._change_thread(article_id, entry, actor, closes=True)

    def reopen(self, article_id: int, entry: NewLogEntry, *, actor: User | None) -> None:
        """Open a conversation that a moderator closed, until the end that it had; raises what :meth:`close` does."""
        self._change_thread(article_id, entry, actor, closes=False)

    def _change_thread(self, article_id: int, entry: NewLogEntry, actor: User | None, *, closes: bool) -> None:
        thread = self._keys.thread(article_id)

        def decide(attempt: Attempt) -> list[Command]:
            posted = read_time(attempt, self._keys, article_id)
            ((stored, closed, revision),) = attempt.read(("HMGET", thread, "closes", "closed", "rev"))
            if (closed is not None) == closes:
                return []
            end = unix_time(stored)
            if end is None:
                end = int(posted + settings_of(attempt, self._keys, self._settings).commenting_seconds)
            if float(attempt.now) >= end:
                raise ConversationEnded(when=end)
            # The voters are kept until then as if it were open: it can be opened again.
            attempt.not_after = end
            is_closed: Command = ("HSET", thread, "closed", attempt.now, "close-reason", entry.why)
            change = is_closed if closes else ("HDEL", thread, "closed", "close-reason")
            return [change, ("HSET", thread, "rev", next_revision(revision, attempt.now))]

        commit(self._connection, decide, actor=actor, entry=entry, when_full=True)
