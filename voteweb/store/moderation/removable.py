"""Articles and comments inside a guarded commit, as they are deleted, removed and restored: both in the same acts.

Each act returns the writes, none if there is nothing to do; a removal and a restoration also the author.
"""

from contextlib import suppress
from dataclasses import replace

from voteweb.core import config
from voteweb.core.comment_errors import CommentGone, NoSuchComment, NotYourComment
from voteweb.core.comments import CommentId, CommentStatus
from voteweb.core.errors import ArticleGone
from voteweb.core.models import ArticleStatus, User
from voteweb.store.articles.places import ArticlePlaces, StoredArticle, check_poster
from voteweb.store.comments.stored_comments import StoredComment, is_author, is_covered
from voteweb.store.connection.commit import Attempt
from voteweb.store.connection.pipeline import Command
from voteweb.store.moderation.settling import thing_of, without_reports
from voteweb.store.moderation.waiting import without_answer
from voteweb.store.schema.nodes import REASON, replace_author
from voteweb.store.schema.values import article_member
from voteweb.store.site.changes import record_change
from voteweb.store.site.context import Context


class RemovableArticle:
    """An article. Raises NoSuchArticle, and ArticleGone where it must not have been deleted or removed."""

    def __init__(self, attempt: Attempt, context: Context, id: int) -> None:
        self._attempt, self._keys, self._id = attempt, context.keys, id
        self._places, self._edit_seconds = ArticlePlaces(context), context.settings.edit_seconds
        self._key = self._keys.article(id)

    def deletion(self, author: User | None) -> list[Command]:
        """Delete it unless it was deleted before; raises NotYours, TooLate to an *author*."""
        stored = self._places.read(self._attempt, self._id)
        article = stored.article
        if article.status is ArticleStatus.DELETED:
            return []
        # The reason of a removal must stay readable.
        if author and article.status is ArticleStatus.REMOVED:
            raise ArticleGone()
        if author:
            check_poster(self._attempt, article, author.name, article.time + self._edit_seconds)
        return self._forget(stored)

    def purge(self) -> list[Command]:
        """Delete it, though it was deleted before, so that no index keeps its words."""
        return [*self._forget(self._places.read(self._attempt, self._id)), record_change(self._keys, "p", self._id)]

    def disowning(self, name: str) -> list[Command]:
        """Take the name off it; forget its earlier versions and its poster's answer."""
        keys, member = self._keys, article_member(self._id)
        ((time, poster),) = self._attempt.read(("HMGET", self._key, "time", "poster"))
        renamed: list[Command] = []
        if time is not None and poster != config.DELETED_MEMBER:
            renamed = [("HSET", self._key, "poster", config.DELETED_MEMBER), record_change(keys, "a", self._id)]
        lists: list[Command] = [("ZREM", ranking, member) for ranking in (keys.posted(name), keys.gone(name))]
        return [*renamed, *lists, ("UNLINK", keys.was(self._id)), *without_answer(keys, self._id)]

    def removal(self, reason: str, *, with_replies: bool = False) -> tuple[str, list[Command]]:
        """Take it out of every list; its comments go with it, *with_replies* or not."""
        stored = self._places.read(self._attempt, self._id)
        article = stored.article
        if article.status in (ArticleStatus.DELETED, ArticleStatus.REMOVED):
            return article.poster, []
        return article.poster, self._unlisting(stored, ArticleStatus.REMOVED, reason)

    def restoration(self) -> tuple[str, list[Command]]:
        """Put it back, with its votes; one that waited for a moderator until it was removed waits again."""
        stored = self._places.read(self._attempt, self._id, "votes", "was-held")
        article = stored.article
        if article.status is ArticleStatus.DELETED:
            raise ArticleGone()
        if article.status is not ArticleStatus.REMOVED:
            return article.poster, []
        after, writes = replace(article, status=ArticleStatus.HELD), list[Command]()
        if not stored.fields["was-held"]:
            groups = self._places.existing_groups(self._attempt, article.groups)
            after = replace(article, status=ArticleStatus.LISTED, groups=groups)
            writes = [("HSET", self._key, "groups", " ".join(groups)), record_change(self._keys, "t", self._id)]
        return article.poster, [
            *self._places.place(self._attempt, stored, after),
            *writes,
            ("HDEL", self._key, "reason", "removed-by", "was-held"),
            *without_answer(self._keys, self._id),
        ]

    def _forget(self, stored: StoredArticle) -> list[Command]:
        return [
            *self._unlisting(stored, ArticleStatus.DELETED, ""),
            *without_reports(self._keys, thing_of(self._keys, self._id)),
            ("HSET", self._key, "title", "", "link", "", "text", ""),
            ("HDEL", self._key, "removed-by", "was-held"),
            *without_answer(self._keys, self._id),
            ("UNLINK", self._keys.voted(self._id)),
            ("UNLINK", self._keys.was(self._id)),
        ]

    def _unlisting(self, stored: StoredArticle, status: ArticleStatus, reason: str) -> list[Command]:
        """Return the writes that take it out of every list."""
        article = stored.article
        was_held = ("was-held", "1") if article.status is ArticleStatus.HELD else ()
        return [
            *self._places.place(self._attempt, stored, replace(article, status=status)),
            ("HSET", self._key, "reason", reason, *was_held),
            *([record_change(self._keys, "t", self._id)] if article.is_listed else []),
        ]


class RemovableComment(StoredComment):
    """A comment. Raises NoSuchComment, and CommentGone where it must not have been deleted or removed."""

    def deletion(self, author: User | None) -> list[Command]:
        """Delete it unless it was deleted before: its place stays, for its replies; raises NotYourComment.

        What stands below a comment that was removed with its replies stays hidden, with the reason.
        """
        keys, (node, stored) = self.keys, self.read()
        if node.status is CommentStatus.DELETED:
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

    def disowning(self, name: str) -> list[Command]:
        """Take the name off it, and it from the head of the member's list."""
        listed, renamed = self.keys.commented(name), list[Command]()
        with suppress(NoSuchComment):
            node, stored = self.read()
            if is_author(node, name):
                renamed = self.store(replace_author(stored, config.DELETED_MEMBER))
        # One that does not stand at the head has been deleted, and is not searched for.
        (head,) = self.attempt.read(("LINDEX", listed, 0))
        return [*renamed, *([("LREM", listed, 1, head)] if head == str(self.id) else [])]

    def removal(self, reason: str, *, with_replies: bool = False) -> tuple[str, list[Command]]:
        """Remove it, with all that is below it or alone."""
        self._check_article()
        node, stored = self.read()
        if node.status is CommentStatus.DELETED:
            raise CommentGone()
        if node.status is CommentStatus.REMOVED:
            return node.author, []
        return node.author, [
            *self.set_state(stored, put="R" if with_replies else "r", with_replies=with_replies),
            ("HSET", self.thread_key, f"{REASON}{self.id.number}", reason),
            *self.set_hidden(True),
        ]

    def restoration(self) -> tuple[str, list[Command]]:
        """Bring it back at its place, with its votes, and what was removed together with it.

        One whose author has left the site since it was removed with its replies stays deleted: only what is below comes
        back.
        """
        self._check_article()
        node, stored = self.read()
        is_deleted = node.status is CommentStatus.DELETED
        if is_deleted and not node.removes_replies:
            raise CommentGone()
        if not node.status:
            return node.author, []
        is_hidden = is_covered(self.attempt, self.keys, self.id.article, node) or is_deleted
        return node.author, [
            *self.set_state(stored, take="rR", with_replies=node.removes_replies),
            self._forget_reason(),
            *self.set_hidden(is_hidden),
        ]

    def _check_article(self) -> None:
        (title,) = self.attempt.read(("HEXISTS", self.keys.article(self.id.article), "title"))
        if not title:  # it is gone for good
            raise NoSuchComment()

    def _forget_reason(self) -> Command:
        return ("HDEL", self.thread_key, f"{REASON}{self.id.number}", thing_of(self.keys, self.id).ban_field[1])


def removable(attempt: Attempt, context: Context, id: int | CommentId) -> RemovableArticle | RemovableComment:
    """Return the article or comment of this id for one attempt at an act."""
    if isinstance(id, CommentId):
        return RemovableComment(attempt, context.keys, id)
    return RemovableArticle(attempt, context, id)
