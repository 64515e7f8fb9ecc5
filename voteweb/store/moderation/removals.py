"""Removals: articles and comments deleted by their authors, removed and restored by moderators, purged by operators."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import chain

from voteweb.core import config
from voteweb.core.comments import CommentId, CommentStatus
from voteweb.core.conversation import climb
from voteweb.core.errors import (
    ArticleGone,
    CommentGone,
    Conflict,
    NoSuchArticle,
    NoSuchComment,
    NotYourComment,
    NotYours,
    StaleEdit,
)
from voteweb.core.models import Article, ArticleStatus, LogEntry, RemovalState, Role, User
from voteweb.core.names import name_key
from voteweb.store.articles.articles import ArticlePlaces, StoredArticle, check_poster
from voteweb.store.articles.search_documents import record_change
from voteweb.store.articles.versions import without_answer
from voteweb.store.comments.comments import StoredComment, covering, hidden_numbers, hidden_writes, is_author
from voteweb.store.connection.commit import Attempt, commit
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.moderation.logged_titles import TITLES, LoggedTitles
from voteweb.store.moderation.reports import settle, settle_covered, thing_of, without_reports
from voteweb.store.schema.fields import ARTICLE_FIELDS, End, ended_by
from voteweb.store.schema.keys import keys_owned_by
from voteweb.store.schema.nodes import REASON, comment_numbers, parse_thread, replace_author
from voteweb.store.schema.values import article_member, comment_of
from voteweb.store.site.context import Context, StorePart, act
from voteweb.store.site.leases import steps_of_each
from voteweb.store.site.moderation_log import mark_undone, who_is_told
from voteweb.store.site.rows import queue_in_state

#: What is stored in the place of the words of an article that is deleted.
_DELETED = {name: "" for name in ended_by(End.DELETION, ARTICLE_FIELDS) if name != "hidden-title"}


class RemovableArticle:
    """An article. Raises NoSuchArticle, and ArticleGone where it must not have been deleted or removed."""

    def __init__(self, attempt: Attempt, context: Context, id: int) -> None:
        self._attempt, self._keys, self._id = attempt, context.keys, id
        self._places, self._edit_seconds = ArticlePlaces(context), context.settings.edit_seconds
        self._key = self._keys.article(id)

    def deletion(self, author: User | None, revision: int | None = None) -> list[Command]:
        """Return the writes that delete it, if any; raises ArticleGone, NotYours, TooLate, StaleEdit to an *author*."""
        stored = self._places.read(self._attempt, self._id, "revision")
        article = stored.article
        if author and name_key(article.poster) != name_key(author.name):
            raise NotYours(NotYours.deletion)
        if article.is_deleted:
            return []
        # The reason of a removal must stay readable.
        if author and article.is_removed:
            raise ArticleGone()
        if author:
            check_poster(self._attempt, article, author.name, article.time + self._edit_seconds)
        if revision not in (None, article.revision):
            raise StaleEdit(revision=article.revision)
        return self._forget(stored)

    def purge(self) -> list[Command]:
        """Return the writes that delete it, also once more, so that no index keeps its words."""
        return [*self._forget(self._places.read(self._attempt, self._id)), record_change(self._keys, "p", self._id)]

    def departure(self, name: str, *, deletes: bool) -> list[Command]:
        """Return the writes for a member *name* who leaves: it is in none of their lists, and nameless or deleted.

        One that waits for a moderator, which nobody has read, is deleted anyway.
        """
        keys, member = self._keys, article_member(self._id)
        poster, gone = self._attempt.value("HMGET", self._key, "poster", "gone")
        lists: list[Command] = [("ZREM", ranking, member) for ranking in (keys.posted(name), keys.gone(name))]
        if name_key(poster or "") != name_key(name):
            return lists
        deleted: list[Command] = []
        with suppress(NoSuchArticle):  # another program has deleted it
            deleted = self.deletion(None) if deletes or gone == ArticleStatus.HELD else []
        renamed = [("HSET", self._key, "poster", config.DELETED_MEMBER), record_change(keys, "a", self._id)]
        versions: list[Command] = [("UNLINK", keys.was(self._id)), ("HDEL", self._key, "as-posted")]
        # Who opened a version before must not bring its words back.
        versions.append(("HINCRBY", self._key, "revision", 1))
        return [*deleted, *renamed, *lists, *versions, *without_answer(keys, self._id)]

    def removal(
        self, reason: str, *, with_replies: bool = False, hides_title: bool = False
    ) -> tuple[str, list[Command]]:
        """Return its poster and the writes that take it out of every list, with its comments.

        One that was removed before is removed anew if that *hides_title*, which was not hidden yet.
        """
        stored = self._places.read(self._attempt, self._id)
        article, hides_title = stored.article, hides_title and not stored.article.hides_title
        if article.is_deleted or (article.is_removed and not hides_title):
            return article.poster, []
        # What its poster answered to an edit must not stand for the answer to this.
        unanswered = without_answer(self._keys, self._id)
        hidden = self._set_title("", ("HSET", self._key, "hidden-title", article.title)) if hides_title else []
        return article.poster, [*self._unlisting(stored, ArticleStatus.REMOVED, reason), *unanswered, *hidden]

    def _set_title(self, title: str, *writes: Command) -> list[Command]:
        """Return *writes* and those that give it another *title*, and let :meth:`Removals.steps` change the log."""
        return [*writes, ("HSET", self._key, "title", title), ("SADD", self._keys.removing(), self._id)]

    def restoration(self) -> tuple[str, list[Command]]:
        """Return its poster and the writes that put it back, with its votes; one that waited before waits again."""
        stored = self._places.read(self._attempt, self._id, "votes", "was-held")
        article = stored.article
        if article.is_deleted:
            raise ArticleGone()
        if not article.is_removed:
            return article.poster, []
        after, writes = replace(article, status=ArticleStatus.HELD), list[Command]()
        if not stored.fields["was-held"]:
            groups = self._places.existing_groups(self._attempt, article.groups)
            after = replace(article, status=ArticleStatus.LISTED, groups=groups)
            writes = [("HSET", self._key, "groups", " ".join(groups)), record_change(self._keys, "t", self._id)]
        return article.poster, [
            *self._places.place(self._attempt, stored, after),
            *writes,
            *(self._set_title(article.title) if article.hides_title else []),
            ("HDEL", self._key, "reason", "removed-by", "was-held"),
            *without_answer(self._keys, self._id),
        ]

    def _forget(self, stored: StoredArticle) -> list[Command]:
        # The empty field tells that the titles in the log are hidden, also if that is not done yet.
        hidden = {} if stored.fields["hidden-title"] is None else {"hidden-title": ""}
        return [
            *self._unlisting(stored, ArticleStatus.DELETED, ""),
            *without_reports(self._keys, thing_of(self._keys, self._id)),
            ("HSET", self._key, *chain.from_iterable((_DELETED | hidden).items())),
            ("HDEL", self._key, "removed-by", "was-held"),
            *without_answer(self._keys, self._id),
            ("UNLINK", *keys_owned_by(self._keys, "article", self._id)),
        ]

    def _unlisting(self, stored: StoredArticle, status: ArticleStatus, reason: str) -> list[Command]:
        """Return the writes that take it out of every list."""
        article = stored.article
        was_held = ("was-held", "1") if article.is_held else ()
        return [
            *self._places.place(self._attempt, stored, replace(article, status=status)),
            ("HSET", self._key, "reason", reason, *was_held),
            *([record_change(self._keys, "t", self._id)] if article.is_listed else []),
        ]


class RemovableComment(StoredComment):
    """A comment. Raises NoSuchComment, and CommentGone where it must not have been deleted or removed."""

    def deletion(self, author: User | None) -> list[Command]:
        """Return the writes that delete it but for its place, if any; raises NotYourComment to an *author*.

        What stands below a comment that was removed with its replies stays hidden, with the reason.
        """
        keys, (node, stored) = self.keys, self.read()
        if node.is_deleted:
            return []
        if author and not is_author(node, author.name):
            raise NotYourComment()
        # The reason of a removal must stay readable.
        if author and node.status:
            raise CommentGone()
        return [
            *self.store(replace_author(stored, "", state="dR" if node.removes_replies else "d")),
            *([] if node.removes_replies else [self._forget_reason()]),
            *self.set_hidden(True),
            ("HDEL", keys.words(self.id.article), self.id.number),
            ("LREM", keys.commented(node.author or config.DELETED_MEMBER), 1, str(self.id)),
            *without_reports(keys, thing_of(keys, self.id)),
        ]

    def departure(self, name: str, *, deletes: bool) -> list[Command]:
        """Return the writes for a member *name* who leaves: it is not in their list, and is nameless or deleted."""
        listed, written = self.keys.commented(name), list[Command]()
        with suppress(NoSuchComment):
            node, stored = self.read()
            if is_author(node, name):
                if deletes and (deleted := self.deletion(None)):
                    return deleted  # out of that list, too
                written = self.store(replace_author(stored, config.DELETED_MEMBER))
        # One that does not stand at the head has been deleted, and is not searched for.
        head = self.attempt.value("LINDEX", listed, 0)
        return [*written, *([("LREM", listed, 1, head)] if head == str(self.id) else [])]

    def removal(
        self, reason: str, *, with_replies: bool = False, hides_title: bool = False
    ) -> tuple[str, list[Command]]:
        """Return its author and the writes that remove it, with all that is below it or alone."""
        self._check_article()
        node, stored = self.read()
        if node.is_deleted:
            raise CommentGone()
        if node.status is CommentStatus.REMOVED:
            if node.removes_replies != with_replies:
                raise CommentGone()
            return node.author, []
        return node.author, [
            *self.set_state(stored, put="R" if with_replies else "r", with_replies=with_replies),
            ("HSET", self.thread_key, f"{REASON}{self.id.number}", reason),
            *self.set_hidden(True),
        ]

    def restoration(self) -> tuple[str, list[Command]]:
        """Return its author and the writes that bring it back, and what was removed together with it.

        One whose author has left the site since it was removed with its replies stays deleted: only its replies come
        back.
        """
        self._check_article()
        node, stored = self.read()
        is_deleted = node.is_deleted
        if is_deleted and not node.removes_replies:
            raise CommentGone()
        if not node.status:
            return node.author, []
        is_hidden = is_deleted or covering(self.attempt.value, self.keys, self.id.article, node) > 0
        return node.author, [
            *self.set_state(stored, take="rR", with_replies=node.removes_replies),
            self._forget_reason(),
            *self.set_hidden(is_hidden),
        ]

    def _check_article(self) -> None:
        if not self.attempt.value("HEXISTS", self.keys.article(self.id.article), "title"):  # it is gone for good
            raise NoSuchComment()

    def _forget_reason(self) -> Command:
        return ("HDEL", self.thread_key, f"{REASON}{self.id.number}", thing_of(self.keys, self.id).ban_field[1])


def removable(attempt: Attempt, context: Context, id: int | CommentId) -> RemovableArticle | RemovableComment:
    """Return the article or comment of this id for one attempt at an act."""
    if isinstance(id, CommentId):
        return RemovableComment(attempt, id)
    return RemovableArticle(attempt, context, id)


class Removals(StorePart):
    """Takes articles and comments of one site out of its lists and conversations, and puts them back."""

    @act(Role.MEMBER, when_full=True)
    def delete(
        self, attempt: Attempt, id: int | CommentId, actor: User | None = None, *, revision: int | None = None
    ) -> list[Command]:
        """Delete an article or a comment for good, with its words; done before, it changes nothing.

        An author, as *actor*, deletes only their own, an article within EDIT_SECONDS; None is the operator. *revision*
        is that of the article which the author saw, None for any. Raises LoggedOut, Held, Conflict; of an article
        NoSuchArticle, NotYours, TooLate, StaleEdit, and ArticleGone to an author whose article was removed; of a
        comment NoSuchComment, NotYourComment, and so CommentGone.
        """
        if isinstance(id, CommentId):
            return RemovableComment(attempt, id).deletion(actor)
        return RemovableArticle(attempt, self._context, id).deletion(actor, revision)

    @act(when_full=True)
    def leave(self, attempt: Attempt, id: int | CommentId, name: str, *, deletes: bool) -> list[Command]:
        """Take an article or comment out of the lists of *name*, who leaves; delete it or keep it nameless."""
        return removable(attempt, self._context, id).departure(name, deletes=deletes)

    def remove(
        self,
        id: int | CommentId,
        entry: LogEntry,
        *,
        with_replies: bool = False,
        part_of: Callable[[Attempt], list[Command]] | None = None,
        actor: User | None = None,
    ) -> bool:
        """Take an article out of every list, or a comment out of its conversation, with the reason of *entry*.

        It can be restored. A comment goes alone, or with all that is below it. An *entry* that says the title as
        ``hidden`` hides it, also that of an article that was removed before, and in the whole log. Settles the reports,
        and tells the author and the reporters. Tell whether it was there: one that was removed before, or an article
        that was deleted, stays as it is. *part_of* returns the writes by which a larger act forgets this part of it,
        none if it has no such part any more: then nothing is removed. *actor* is the moderator who does it, None the
        operator. Raises NoSuchArticle; NoSuchComment, CommentGone when its author deleted it, or it was removed before
        in the other way; LoggedOut, NotAllowed, Conflict.
        """
        hides_title = bool(entry.hidden and not entry.comment)

        def decide(attempt: Attempt) -> list[Command]:
            forgotten = part_of(attempt) if part_of else []
            if part_of and not forgotten:
                return []
            author, writes = removable(attempt, self._context, id).removal(
                entry.why, with_replies=with_replies, hides_title=hides_title
            )
            settled = settle(attempt, thing_of(self._keys, id), entry.who, author) if writes else []
            return [*writes, *settled, *forgotten] if writes else []

        is_removed = commit(self._connection, decide, actor=actor, entry=entry, when_full=True)
        if with_replies or hides_title:
            self.finish(_article_of(id))
        return is_removed

    def restore(self, id: int | CommentId, entry: LogEntry, *, actor: User | None = None) -> None:
        """Put a removed article or comment back at its place, with its votes and its title; another stays as it is.

        What was removed together with a comment comes back too; below one that is still removed with its replies,
        nobody can read it yet. Tells its author. *actor* is the moderator who does it, None the operator. Raises
        NoSuchArticle, NoSuchComment, ArticleGone and CommentGone when its author deleted it, NothingToUndo when *entry*
        undoes a removal that is not in force, LoggedOut, NotAllowed, Conflict.
        """
        is_finished = True

        def decide(attempt: Attempt) -> list[Command]:
            nonlocal is_finished
            author, writes = removable(attempt, self._context, id).restoration()
            is_finished = self._keys.removing() not in {key for _, key, *_ in writes}
            attempt.told = who_is_told(entry.who, author)
            return [*writes, *mark_undone(attempt, entry)] if writes else []

        commit(self._connection, decide, actor=actor, entry=entry, when_full=True)
        if not is_finished:
            self.finish(_article_of(id))

    def finish(self, article_id: int) -> None:
        """Count what became invisible or visible again below the comments of one article that were removed.

        What hides the title of an article, or shows it again, is done in the log.

        May be interrupted anywhere and called again: :meth:`steps` goes on.
        """
        with suppress(Conflict):  # the conversation changes all the time: until it rests, it is walked when it is read
            for _ in self._steps(article_id):
                pass

    def steps(self) -> Iterator[None]:
        """Finish every article with such comments, one after the other."""
        ids = sorted(filter(str.isdigit, self._connection.command("SMEMBERS", self._keys.removing())))
        yield from steps_of_each(ids, self._steps)

    def _steps(self, article_id: int | str) -> Iterator[None]:
        id = int(article_id)
        # What a removal meanwhile has covered may have open reports, too.
        for _ in range(config.MAX_SCRIPT_ATTEMPTS):
            titles = self._connection.command("HMGET", self._keys.article(id), *TITLES)
            if titles[1] is not None:
                yield from LoggedTitles(self._context).rewrite(id)
            settle_covered(self._connection, self._context.log, id)
            if self._hide_covered(id, titles):
                break
            if not self._connection.command("SISMEMBER", self._keys.removing(), id):
                break
        yield

    @act(when_full=True, remembers=False)
    def _hide_covered(self, attempt: Attempt, id: int, titles: list[str | None]) -> list[Command]:
        """Return the writes that make the bits of all comments, and their number, agree with the conversation.

        There are none while the article has other *titles* than those that the log got, nor while a comment below a
        removed one has open reports, which are of before: nobody can report it any more.
        """
        keys, article, thread_key = self._keys, self._keys.article(id), self._keys.thread(id)
        # Every change of a conversation gives it another revision.
        is_removing, _, exists, now_titles = attempt.read(
            ("SISMEMBER", keys.removing(), id),
            ("HGET", thread_key, "rev"),
            ("EXISTS", article),
            ("HMGET", article, *TITLES),
        )
        if not is_removing or now_titles != titles:
            return []
        thread = parse_thread(id, self._connection.command("HGETALL", thread_key))
        *_, covered = climb(thread.nodes)
        queued = map(comment_of, self._connection.command("ZRANGE", keys.reports(), 0, -1))
        if any(comment.number in covered for comment in queued if comment and comment.article == id):
            return []
        hidden = hidden_numbers(thread)
        visible = ("HSET", article, "comments", len(thread.nodes.keys() - hidden))
        shown = [*hidden_writes(keys, id, hidden), visible] if exists else []
        # The field "hiding" is of an earlier version, which counted in steps.
        restored = [("HDEL", article, "hidden-title")] if all(titles) else []
        return [*shown, *restored, ("HDEL", thread_key, "hiding"), ("SREM", keys.removing(), id)]

    @act(when_full=True)
    def change_by_ban(self, attempt: Attempt, id: int | CommentId, ban: LogEntry, state: RemovalState) -> list[Command]:
        """Remove an article or a comment in the name of the log entry *ban*, or restore what that has removed.

        *state* is that of the ban; nothing is done once it has another. A removal has the reason of the ban, settles
        the reports and tells the reporters of the ban. Not logged. Tell whether anything changed. Raises Conflict.
        """
        thing = thing_of(self._keys, id)
        with suppress(NoSuchArticle, NoSuchComment, ArticleGone, CommentGone):
            found = removable(attempt, self._context, id)
            if state is RemovalState.RESTORING:
                is_of_ban = attempt.value("HGET", *thing.ban_field) == str(ban.id)
                author, writes = found.restoration() if is_of_ban else ("", [])
            else:
                author, writes = found.removal(ban.why)
            # Somebody may have decided otherwise since.
            user = self._keys.user(author or config.DELETED_MEMBER)
            removal = attempt.value("HGET", user, "ban-removal") if writes else None
            if (removal or "").split(" ")[:2] != [str(ban.id), state.value]:
                return []
            if state is RemovalState.RESTORING:
                return writes
            attempt.told_of = f"log-{ban.id}"
            # The author is not told: a banned member cannot log in to read it.
            return [*writes, ("HSET", *thing.ban_field, ban.id), *settle(attempt, thing, ban.who)]
        return []

    def queue_of_poster(self, pipeline: Pipeline, name: str) -> Future[tuple[Article, ...]]:
        """Queue a read of a member's removed articles, among the newest SHOWN_REMOVALS of those that are gone."""
        ranking, count = self._keys.gone(name), config.SHOWN_REMOVALS
        return queue_in_state(pipeline, self._keys, ranking, count, ArticleStatus.REMOVED)

    def purge(self, id: int, entry: LogEntry, *, with_comments: bool) -> Iterator[None]:
        """Delete the comments if asked, blank the article's title in the log, delete the article and log *entry*.

        In bounded steps, which may be cut off anywhere and done again, also to an article that was deleted before:
        until no word is left, the article stays as it is, and nothing is logged. Reasons in the log stay. Raises
        NoSuchArticle, Conflict.
        """
        comments: set[int] = set()
        yield from self._purge_beside_article(id, comments, with_comments)
        self._purge_article(id, entry)
        yield
        # Comments written meanwhile; about a deleted article nobody can write any.
        yield from self._purge_beside_article(id, comments, with_comments)

    @act(when_full=True)
    def _purge_article(self, attempt: Attempt, id: int, entry: LogEntry) -> list[Command]:
        return RemovableArticle(attempt, self._context, id).purge()

    def _purge_beside_article(self, id: int, done: set[int], with_comments: bool) -> Iterator[None]:
        """Delete all comments that are not in *done*, and add them to it; blank the title in the log."""
        if with_comments:
            stored = comment_numbers(self._connection.command("HKEYS", self._keys.thread(id)))
            for number in stored:
                if number not in done:
                    with suppress(NoSuchComment):  # the doctor names an entry that is none
                        self.delete(CommentId(id, number))
                    yield
            done.update(stored)
        yield from LoggedTitles(self._context).rewrite(id, purges=True)


def _article_of(id: int | CommentId) -> int:
    return id.article if isinstance(id, CommentId) else id
