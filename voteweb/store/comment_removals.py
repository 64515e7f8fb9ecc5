"""Moderation of conversations: comments removed and restored, alone or with their replies; conversations closed."""

from collections.abc import Iterator

import redis

from voteweb.core import config
from voteweb.core.comment_errors import CommentGone, ConversationEnded, NoSuchComment
from voteweb.core.comments import CommentId
from voteweb.core.config import Settings
from voteweb.core.errors import Conflict, NothingToUndo
from voteweb.core.models import LogEntry, User
from voteweb.store import covered_reports
from voteweb.store.actors import OPERATOR, ActorArguments, actor_arguments
from voteweb.store.commit import Attempt, commit
from voteweb.store.connection.connection import Connection, Outcome
from voteweb.store.connection.pipeline import Command
from voteweb.store.decoding import unix_time
from voteweb.store.keys import comment_member
from voteweb.store.moderation_log import LogArguments, ModerationLog, NewLogEntry, not_logged
from voteweb.store.nodes import next_revision, parse_node
from voteweb.store.readable import read_time
from voteweb.store.told import read_reporters, told_arguments


class CommentRemovals:
    """Takes comments of one site out of their conversations, and puts them back; closes and reopens conversations."""

    def __init__(self, connection: Connection, settings: Settings, moderation_log: ModerationLog) -> None:
        self._connection = connection
        self._keys = connection.keys
        self._settings = settings
        self._log = moderation_log

    def remove(self, id: CommentId, entry: NewLogEntry, *, with_replies: bool = False, actor: User | None) -> None:
        """Remove a comment, with all that is below it or alone, with the reason of *entry*; it can be restored.

        Settles its reports and those below it, and tells its author and the reporters. Does nothing if it was removed
        before. *actor* is the moderator who does it, None the operator. Raises NoSuchComment, CommentGone when its
        author deleted it, LoggedOut, NotAllowed, Conflict.
        """
        log, checked = self._log.prepare(entry), actor_arguments(self._keys, actor)
        for _ in range(config.MAX_SCRIPT_ATTEMPTS):
            if self._remove(id, entry, "R" if with_replies else "r", log, checked).status != "again":
                break
        else:
            raise Conflict()
        if with_replies:
            self.finish(id.article)

    def remove_by_ban(self, id: CommentId, ban: LogEntry) -> bool:
        """Remove a comment with the reason of the log entry *ban*, in whose name it is restored; tell whether it was.

        Settles its reports; tells the reporters of the ban. Not logged. Raises Conflict.
        """
        entry = NewLogEntry(ban.kind, ban.who, about=ban.about, why=ban.why)
        for _ in range(config.MAX_SCRIPT_ATTEMPTS):
            try:
                outcome = self._remove(id, entry, "r", not_logged(self._keys), OPERATOR, str(ban.id))
            except (NoSuchComment, CommentGone, NothingToUndo):
                return False
            if outcome.status != "again":
                return outcome.status == "removed"
        raise Conflict()

    def _remove(
        self,
        id: CommentId,
        entry: NewLogEntry,
        state: str,
        log: LogArguments,
        actor: ActorArguments,
        removed_by: str = "",
    ) -> Outcome:
        keys, author = self._keys, self._read_author(id)
        reports = keys.comment_report(*id)
        # Whom a ban removes cannot read it.
        told = told_arguments(keys, entry.who, "" if removed_by else author, read_reporters(self._connection, reports))
        outcome = self._connection.script(
            "remove_comment",
            [
                *self._thread_keys(id.article),
                keys.reports(),
                reports,
                self._user_key(author),
                keys.changes(),
                *told.keys,
                *log.keys,
                *actor.keys,
            ],
            [
                *log.arguments,
                *id,
                state,
                entry.why,
                _reason_field(id),
                author,
                comment_member(*id),
                removed_by,
                *told.arguments,
                *actor.arguments,
            ],
        )
        _raise_refusal(outcome)
        return outcome

    def restore(self, id: CommentId, entry: NewLogEntry, *, actor: User | None) -> None:
        """Bring a removed comment back, with its votes and at its place; one that was not removed stays as it is.

        What was removed together with it comes back too. Below a comment that is still removed with its replies,
        nobody can read it yet. Tells its author. *actor* is the moderator who does it, None the operator. Raises
        NoSuchComment, CommentGone when it was deleted, NothingToUndo when *entry* undoes a removal that is not in
        force, LoggedOut, NotAllowed, Conflict.
        """
        log, checked = self._log.prepare(entry), actor_arguments(self._keys, actor)
        for _ in range(config.MAX_SCRIPT_ATTEMPTS):
            if self._restore(id, entry, log, checked).status != "again":
                break
        else:
            raise Conflict()
        self.finish(id.article)

    def restore_by_ban(self, id: CommentId, ban: LogEntry) -> bool:
        """Bring back a comment that the ban of the log entry *ban* removed; tell whether it did. Raises Conflict."""
        entry = NewLogEntry(ban.kind, ban.who)
        for _ in range(config.MAX_SCRIPT_ATTEMPTS):
            try:
                outcome = self._restore(id, entry, not_logged(self._keys), OPERATOR, str(ban.id))
            except (NoSuchComment, CommentGone, NothingToUndo):
                return False
            if outcome.status != "again":
                return outcome.status == "restored"
        raise Conflict()

    def _restore(
        self, id: CommentId, entry: NewLogEntry, log: LogArguments, actor: ActorArguments, removed_by: str = ""
    ) -> Outcome:
        author = self._read_author(id)
        told = told_arguments(self._keys, entry.who, author)
        outcome = self._connection.script(
            "restore_comment",
            [
                *self._thread_keys(id.article),
                self._user_key(author),
                self._keys.changes(),
                *told.keys,
                *log.keys,
                *actor.keys,
            ],
            [*log.arguments, *id, _reason_field(id), author, removed_by, *told.arguments, *actor.arguments],
        )
        _raise_refusal(outcome)
        return outcome

    def _read_author(self, id: CommentId) -> str:
        """Return the author of a comment, for a script that must name their keys; raise NoSuchComment."""
        stored = self._connection.command("HGET", self._keys.thread(id.article), str(id.number))
        node = parse_node(id.number, stored or "")
        if node is None:
            raise NoSuchComment()
        return node.author

    def _user_key(self, author: str) -> str:
        """Return the key of an author, of one who has left that of nobody."""
        return self._keys.user(author or config.DELETED_MEMBER)

    def _thread_keys(self, article_id: int) -> list[str]:
        keys = self._keys
        return [keys.article(article_id), keys.thread(article_id), keys.hidden(article_id), keys.removing()]

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
        keys = self._thread_keys(int(article_id))
        while self._connection.script("hide_replies", keys, [article_id, config.REMOVAL_STEP]).status == "more":
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
                end = int(posted + self._settings.commenting_seconds)
            if float(attempt.now) >= end:
                raise ConversationEnded(when=end)
            # The voters are kept until then as if it were open: it can be opened again.
            attempt.not_after = end
            is_closed: Command = ("HSET", thread, "closed", attempt.now, "close-reason", entry.why)
            change = is_closed if closes else ("HDEL", thread, "closed", "close-reason")
            return [change, ("HSET", thread, "rev", next_revision(revision, attempt.now))]

        commit(self._connection, decide, actor=actor, entry=entry, when_full=True)


def _reason_field(id: CommentId) -> str:
    return f"reason:{id.number}"


def _raise_refusal(outcome: Outcome) -> None:
    match outcome.status:
        case "unknown":
            raise NoSuchComment()
        case "gone" | "deleted":
            raise CommentGone()
        case "overruled":
            raise NothingToUndo()
