"""Removals: articles deleted by their posters, removed and restored by moderators."""

from contextlib import suppress
from dataclasses import replace

from voteweb.core import config
from voteweb.core.errors import ArticleGone, NoSuchArticle
from voteweb.core.models import ArticleStatus, LogEntry, RemovalState, Role, User
from voteweb.store.articles.places import ArticlePlaces, StoredArticle, check_poster
from voteweb.store.connection.commit import Attempt, commit
from voteweb.store.connection.pipeline import Command
from voteweb.store.moderation.answers import without_answer
from voteweb.store.schema.keys import article_member
from voteweb.store.schema.log_entries import NewLogEntry
from voteweb.store.site.changes import record_change
from voteweb.store.site.context import Context, StorePart
from voteweb.store.site.told import count_settled, is_ban_in_state, read_open_reports, who_is_told


class Removals(StorePart):
    """Takes articles out of the lists of one site, and puts them back."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._places = ArticlePlaces(context)

    def delete(self, id: int, poster: User | None = None) -> None:
        """Delete the article for good, with its words and voters; for a *poster*, only their own within EDIT_SECONDS.

        Does nothing if the article was deleted before. Raises NoSuchArticle, NotYours, TooLate, LoggedOut, Conflict,
        and ArticleGone to a poster whose article was removed: the reason must stay readable.
        """

        def decide(attempt: Attempt) -> list[Command]:
            stored = self._places.read(attempt, id)
            article = stored.article
            if article.status is ArticleStatus.DELETED:
                return []
            if poster and article.status is ArticleStatus.REMOVED:
                raise ArticleGone()
            if poster:
                check_poster(attempt, article, poster.name, article.time + self._settings.edit_seconds)
            return self._deletion(attempt, stored)

        commit(self._connection, decide, actor=poster, role=Role.MEMBER, when_full=True)

    def purge(self, id: int, entry: NewLogEntry) -> None:
        """Delete the article as :meth:`delete` does, for the operator, so that no index keeps its words; log *entry*.

        Raises NoSuchArticle, Conflict.
        """

        def decide(attempt: Attempt) -> list[Command]:
            deletion = self._deletion(attempt, self._places.read(attempt, id))
            return [*deletion, record_change(self._keys, "p", id)]

        commit(self._connection, decide, entry=entry, when_full=True)

    def remove(self, id: int, entry: NewLogEntry, *, actor: User | None = None) -> None:
        """Take the article out of every list with the reason of *entry*; it can be restored.

        Does nothing if the article is gone already. *actor* is the moderator who does it, None the operator.
        Raises NoSuchArticle, LoggedOut, NotAllowed, Conflict.
        """

        def decide(attempt: Attempt) -> list[Command]:
            return self._removal(attempt, self._places.read(attempt, id), entry.who, entry.why)

        commit(self._connection, decide, actor=actor, entry=entry, when_full=True)

    def restore(self, id: int, entry: NewLogEntry, *, actor: User | None = None) -> None:
        """Put a removed article back into every list, with its votes; one that is listed stays as it is.

        One that waited for a moderator until it was removed waits again.

        *actor* is the moderator who does it, None the operator. Raises NoSuchArticle, LoggedOut, NotAllowed,
        ArticleGone when its poster deleted it, NothingToUndo when *entry* undoes a removal that is not in force,
        Conflict.
        """

        def decide(attempt: Attempt) -> list[Command]:
            stored = self._places.read(attempt, id, "votes", "was-held")
            if stored.article.status is ArticleStatus.DELETED:
                raise ArticleGone()
            attempt.told = who_is_told(entry.who, stored.article.poster)
            return self._restoration(attempt, stored)

        commit(self._connection, decide, actor=actor, entry=entry, when_full=True)

    def remove_by_ban(self, id: int, ban: LogEntry) -> bool:
        """Remove an article with the reason of the log entry *ban*, in whose name it is restored; tell whether it was.

        Settles its reports; tells the reporters of the ban. Not logged. Raises Conflict.
        """

        def decide(attempt: Attempt) -> list[Command]:
            stored = self._places.read(attempt, id)
            if not is_ban_in_state(attempt, self._keys, stored.article.poster, ban, RemovalState.REMOVING):
                return []
            writes = self._removal(attempt, stored, ban.who, ban.why, tells_poster=False)
            attempt.told_of = f"log-{ban.id}"
            return [*writes, ("HSET", self._keys.article(id), "removed-by", ban.id)] if writes else []

        with suppress(NoSuchArticle):
            return commit(self._connection, decide, when_full=True)
        return False

    def restore_by_ban(self, id: int, ban: LogEntry) -> bool:
        """Put back an article that the ban of the log entry *ban* removed; tell whether it did. Raises Conflict."""

        def decide(attempt: Attempt) -> list[Command]:
            stored = self._places.read(attempt, id, "votes", "was-held", "removed-by")
            is_removed_by = stored.fields["removed-by"] == str(ban.id)
            is_restoring = is_removed_by and is_ban_in_state(
                attempt, self._keys, stored.article.poster, ban, RemovalState.RESTORING
            )
            return self._restoration(attempt, stored) if is_restoring else []

        with suppress(NoSuchArticle):
            return commit(self._connection, decide, when_full=True)
        return False

    def disown(self, id: int, name: str) -> None:
        """Take the *name* of a member who left off their article; forget its earlier versions and their answer."""
        keys, key, member = self._keys, self._keys.article(id), article_member(id)

        def decide(attempt: Attempt) -> list[Command]:
            ((time, poster),) = attempt.read(("HMGET", key, "time", "poster"))
            renamed: list[Command] = []
            if time is not None and poster != config.DELETED_MEMBER:
                renamed = [("HSET", key, "poster", config.DELETED_MEMBER), record_change(keys, "a", id)]
            lists: list[Command] = [("ZREM", ranking, member) for ranking in (keys.posted(name), keys.gone(name))]
            return [*renamed, *lists, ("UNLINK", keys.was(id)), *without_answer(self._keys, id)]

        commit(self._connection, decide, when_full=True)

    def _removal(
        self, attempt: Attempt, stored: StoredArticle, who: str, why: str, *, tells_poster: bool = True
    ) -> list[Command]:
        """Return the writes that remove an article; none if it is gone."""
        article = stored.article
        if article.status in (ArticleStatus.DELETED, ArticleStatus.REMOVED):
            return []
        reporters = read_open_reports(attempt, self._keys.report(article.id))
        attempt.told = who_is_told(who, article.poster if tells_poster else "", reporters.names)
        writes = self._unlisting(attempt, stored, ArticleStatus.REMOVED, why)
        return [*writes, *count_settled(self._keys, reporters)]

    def _deletion(self, attempt: Attempt, stored: StoredArticle) -> list[Command]:
        id = stored.article.id
        key = self._keys.article(id)
        return [
            *self._unlisting(attempt, stored, ArticleStatus.DELETED, ""),
            ("HSET", key, "title", "", "link", "", "text", ""),
            ("HDEL", key, "removed-by", "was-held"),
            *without_answer(self._keys, id),
            ("UNLINK", self._keys.voted(id)),
            ("UNLINK", self._keys.was(id)),
        ]

    def _unlisting(self, attempt: Attempt, stored: StoredArticle, status: ArticleStatus, reason: str) -> list[Command]:
        """Return the writes that take an article out of every list, and close its reports."""
        keys, article = self._keys, stored.article
        was_held = ("was-held", "1") if article.status is ArticleStatus.HELD else ()
        return [
            *self._places.place(attempt, stored, replace(article, status=status)),
            ("ZREM", keys.reports(), article_member(article.id)),
            ("UNLINK", keys.report(article.id)),
            ("HSET", keys.article(article.id), "reason", reason, *was_held),
            *([record_change(keys, "t", article.id)] if article.is_listed else []),
        ]

    def _restoration(self, attempt: Attempt, stored: StoredArticle) -> list[Command]:
        """Return the writes that restore an article; none if nobody removed it."""
        article, key = stored.article, self._keys.article(stored.article.id)
        if article.status is not ArticleStatus.REMOVED:
            return []
        after, writes = replace(article, status=ArticleStatus.HELD), list[Command]()
        if not stored.fields["was-held"]:
            groups = self._places.existing_groups(attempt, article.groups)
            after = replace(article, status=ArticleStatus.LISTED, groups=groups)
            writes = [("HSET", key, "groups", " ".join(groups)), record_change(self._keys, "t", article.id)]
        return [
            *self._places.place(attempt, stored, after),
            *writes,
            ("HDEL", key, "reason", "removed-by", "was-held"),
            *without_answer(self._keys, article.id),
        ]
